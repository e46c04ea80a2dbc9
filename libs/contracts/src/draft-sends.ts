import { Draft, DraftAnswer } from './drafts.js';
import {
  Flag,
  Id,
  IfMatch,
  Instant,
  MailboxName,
  OneOf,
  Part,
  Text,
  Texts,
} from './fields/index.js';
import { family, operation } from './operation.js';
import { type SendReceipt, sendProblems } from './sends.js';

/** Input of a member who sends a draft. */
export class SendDraft {
  @Id('drf', 'The draft.')
  id!: string;

  @MailboxName('The mailbox it is written in.')
  mailbox!: string;

  @Instant('When it is to leave: in the future, at most a year ahead. Now when absent.', {
    optional: true,
  })
  sendAt?: string;

  @Text('The token of the warning that is overridden.', { max: 100, optional: true })
  dlpWarningToken?: string;

  @IfMatch()
  ifMatch?: number;
}

/** Input of a member who reads a draft. */
export class GetDraft {
  @Id('drf', 'The draft.')
  id!: string;

  @MailboxName('The mailbox it is written in.')
  mailbox!: string;
}

/** Input of a member who holds a draft back. */
export class UnsendDraft {
  @Id('drf', 'The draft.')
  id!: string;

  @MailboxName('The mailbox it is written in.')
  mailbox!: string;

  @IfMatch()
  ifMatch?: number;
}

/** The receipt of a draft that has left; or `draft` alone, of one that is to leave later. */
export class DraftSent implements Partial<SendReceipt> {
  @Part(() => Draft, 'The draft, which is to leave later.', { optional: true })
  draft?: Draft;

  @Id('msg', 'The message.', { optional: true })
  id?: string;

  @Id('cnv', 'The conversation it is part of.', { optional: true })
  threadId?: string;

  @Texts('Addresses that the mail server took it for.', { max: 500, each: 640, optional: true })
  accepted?: string[];

  @Texts('Addresses that the mail server refused.', { max: 500, each: 640, optional: true })
  rejected?: string[];

  @Text('Identifier of the message at the provider.', { max: 998, nullable: true, optional: true })
  providerMessageId?: string | null;

  @OneOf(['smtp', 'reconciled'], 'Whether the mail server said so, or it was found out later.', {
    optional: true,
  })
  receiptSource?: 'smtp' | 'reconciled';

  @OneOf(['ok', 'warning_required'], '`warning_required`: a warning was overridden.', {
    optional: true,
  })
  dlpStatus?: 'ok' | 'warning_required';

  @Flag('True when the event message.sent could not be queued: it never comes.', { optional: true })
  webhookDeferred?: boolean;
}

/** Drafts that members send (`decisions.md` §9); keys send by `sends`. */
export const draftSends = family(
  'mail',
  'draftSends',
  {
    get: operation({
      http: 'GET /v1/drafts/:id',
      summary: 'Read a draft',
      input: GetDraft,
      output: DraftAnswer,
      mailbox: 'read',
      problems: ['DRAFT_NOT_FOUND'],
    }),
    send: operation({
      http: 'POST /v1/drafts/:id/send',
      effect: 'send',
      summary: 'Send a draft, now or at a time',
      description: `What it says at this call is what leaves, once, however often this is called: the draft
itself is the Idempotency-Key. It stays until its message has its receipt. At its time everything is checked again
(the send switch, data-loss prevention, which also judges it at this call, the member and the mailbox); what is refused
then stays as \`failed\`, with the reason. A token that overrides a warning holds until it leaves, unless a rule blocks or
warns that did not. What a mail server does not take for the moment is tried again for a day.`,
      input: SendDraft,
      output: DraftSent,
      mailbox: 'write',
      emits: ['message.sent'],
      deadlineMs: 60_000,
      problems: ['DRAFT_NOT_FOUND', 'DRAFT_SENDING', ...sendProblems],
    }),
    unsend: operation({
      http: 'POST /v1/drafts/:id/unsend',
      summary: 'Hold back a draft that is to leave later, or has failed',
      input: UnsendDraft,
      output: DraftAnswer,
      mailbox: 'write',
      problems: ['DRAFT_NOT_FOUND', 'DRAFT_SENDING'],
    }),
  },
  { audience: 'member' },
);
