import { Count, Email, Id, Instant, ListOf, OneOf, Text, Texts } from '../fields/index.js';
import { AnswerOf, SettingsPage } from '../answers.js';
import { family, operation } from '../operation.js';

/** Sends that are listed. */
export class ListSends {
  @OneOf(['unknown'], 'Those whose outcome nobody knows.', { default: 'unknown' })
  state!: 'unknown';
}

/** A send with an unknown outcome, and what was found out about it. */
export class UnknownSend {
  @Id('msg', 'The message that it is or may become.')
  id!: string;

  @Email('The mailbox.')
  mailbox!: string;

  @Id('cnv', 'The conversation that it answers in; null of a new one.', { nullable: true })
  threadId!: string | null;

  @Texts('Addresses it is for.', { max: 500, each: 998 })
  recipients!: string[];

  @OneOf(['unknown'], 'Its state.')
  state!: 'unknown';

  @Text('Its Message-ID, by which it may be looked for at the provider.', { max: 998 })
  messageId!: string;

  @Text('Why its outcome is unknown.', { max: 1000 })
  reason!: string;

  @Text('The Idempotency-Key of the request.', { max: 200 })
  idempotencyKey!: string;

  @Instant('When it was begun.')
  createdAt!: string;

  @Instant('When it is looked for again: at the provider, and in what has arrived.')
  nextLookAt!: string;
}

/** Sends whose outcome is unknown, newest first. */
export class UnknownSendList extends SettingsPage {
  @ListOf(() => UnknownSend, 'Sends, newest first.', { max: 200 })
  items!: UnknownSend[];

  @Count('How many there are in all.', { max: Number.MAX_SAFE_INTEGER })
  total!: number;
}

/** Input of settling. */
export class SettleSend {
  @Id('msg', 'The message.')
  id!: string;

  @OneOf(['sent', 'failed'], 'What became of it, as the member has found out.')
  outcome!: 'sent' | 'failed';
}

/** A send that was settled. */
export class SettledSend {
  @Id('msg', 'The message.')
  id!: string;

  @OneOf(['sent', 'failed'], 'What became of it.')
  state!: 'sent' | 'failed';
}

/** Answer of settling. */
export class SettledSendAnswer extends AnswerOf('send', () => SettledSend, 'The send.') {}

/** Sends that a crash left unknown (`decisions.md` §4, §9). */
export const unknownSends = family(
  'mail',
  'unknownSends',
  {
    list: operation({
      http: 'GET /sends',
      summary: 'List the sends of which nobody knows whether they left',
      input: ListSends,
      output: UnknownSendList,
    }),
    settle: operation({
      http: 'POST /sends/:id/settle',
      effect: 'intake',
      summary: 'Say what became of a send whose outcome is unknown',
      description:
        'As sent it gets its receipt and its place in the conversation, and emits its event; as failed ' +
        'its Idempotency-Key is free again. Nothing is sent either way.',
      input: SettleSend,
      output: SettledSendAnswer,
      problems: ['SEND_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
