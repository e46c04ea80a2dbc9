import {
  Flag,
  Id,
  ListOf,
  MailboxName,
  OneOf,
  Text,
  Texts,
  unseenFaults,
  type Violation,
} from './fields/index.js';
import { ErrorBody, SettingsErrorBody } from './answers.js';
import { GivenMessage, leftOut, messageFaults } from './compose.js';
import { withOptional } from './inputs.js';
import { family, operation } from './operation.js';
import { DlpFinding, dlpPlaces, dlpRulesMax } from './settings/dlp-rules.js';
import { Suppression } from './suppressions.js';

/** Answer to a send, the first time and every other (public-api.md §4). */
export class SendReceipt {
  @Id('msg', 'The message.')
  id!: string;

  @Id('cnv', 'The conversation it is part of.')
  threadId!: string;

  @Texts('Addresses that the mail server took it for.', { max: 500, each: 640 })
  accepted!: string[];

  @Texts('Addresses that the mail server refused; it left for the others.', { max: 500, each: 640 })
  rejected!: string[];

  @Text('Identifier of the message at the provider: its Message-ID there.', {
    max: 998,
    nullable: true,
  })
  providerMessageId!: string | null;

  @OneOf(['smtp', 'reconciled'], 'Whether the mail server said so, or it was found out later.')
  receiptSource!: 'smtp' | 'reconciled';

  @OneOf(
    ['ok', 'warning_required'],
    'Of data-loss prevention; `warning_required`: a warning was overridden with its token.',
  )
  dlpStatus!: 'ok' | 'warning_required';

  @Flag('True when the event message.sent could not be queued: it never comes.', { optional: true })
  webhookDeferred?: boolean;
}

/** The body of a refused send (public-api.md §7): which of these it has depends on the refusal. */
export class SendErrorBody extends ErrorBody {
  @Flag('The key was used for another payload.', { optional: true })
  idempotencyKeyReused?: boolean;

  @Flag('What the key was used for cannot be compared: retry with a new one.', { optional: true })
  idempotencyKeyUnverifiable?: boolean;

  @Flag('Another send has this key; nothing was sent again.', { optional: true })
  duplicate?: boolean;

  @Flag('Whether a message of this key may have left: repeat with the same key, never a new one.', {
    optional: true,
  })
  outcomeUnknown?: boolean;

  @OneOf(['warning_required'], 'Data-loss prevention warns, or a recipient is suppressed.', {
    optional: true,
  })
  dlpStatus?: 'warning_required';

  @ListOf(() => Suppression, 'The recipients that are suppressed; absent where none is.', {
    max: 500,
    optional: true,
  })
  suppressed?: Suppression[];

  @Text('Give it as `dlpWarningToken` to send all the same.', { max: 100, optional: true })
  dlpWarningToken?: string;
}

/** The body of a member's send that is refused. */
export class SettingsSendErrorBody extends withOptional(SettingsErrorBody, SendErrorBody, [
  ...['idempotencyKeyReused', 'idempotencyKeyUnverifiable', 'duplicate', 'outcomeUnknown'],
  ...['dlpStatus', 'dlpWarningToken', 'suppressed'],
] as const) {
  @ListOf(() => DlpFinding, 'What rules of data-loss prevention have found, in each place once.', {
    max: dlpRulesMax * dlpPlaces.length,
    optional: true,
  })
  findings?: DlpFinding[];
}

const tokenAbout = 'The token of the warning that is overridden.';

/** Input of a new message. */
export class SendMessage extends GivenMessage {
  @MailboxName('The mailbox it is sent from.')
  mailbox!: string;

  @Id('cnv', 'The conversation it is to be part of; a new one when absent.', leftOut)
  threadId?: string;

  @Text(tokenAbout, { max: 100, ...leftOut })
  dlpWarningToken?: string;
}

/** Input of a reply. */
export class SendReply extends GivenMessage {
  @Id('cnv', 'The conversation.')
  id!: string;

  @MailboxName('The mailbox it is sent from.')
  mailbox!: string;

  @Id('cnv', 'The conversation again, if it is given at all.', leftOut)
  threadId?: string;

  @Text(tokenAbout, { max: 100, ...leftOut })
  dlpWarningToken?: string;
}

const anotherThread = {
  fr: 'autre conversation que celle de l’adresse',
  en: 'another conversation than that of the path',
};

/** Faults of a message that is to leave. */
export const sendFaults = (message: GivenMessage): readonly Violation[] => [
  ...unseenFaults('subject', message.subject),
  ...messageFaults(message),
];

function replyFaults(reply: SendReply): readonly Violation[] {
  const { id, threadId = id } = reply;
  const contradicts = threadId !== id;
  return [
    ...(contradicts ? [{ field: 'threadId', message: anotherThread }] : []),
    ...sendFaults(reply),
  ];
}

/** Definition that both send routes share. */
const sending = {
  scope: 'mail:send',
  effect: 'send',
  mailbox: 'write',
  idempotency: 'send',
  approval: 'never',
  emits: ['message.sent'],
  deadlineMs: 60_000,
  bodyMax: 32 * 1024 * 1024,
  output: SendReceipt,
} as const;

/** Refusals of a send. */
export const sendProblems = [
  'CONVERSATION_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'SIGNATURE_NOT_FOUND',
  'MAILBOX_NOT_FOUND',
  'DOMAIN_NOT_VERIFIED',
  'ATTACHMENTS_TOO_LARGE',
  'QUOTA_EXCEEDED',
  'IDEMPOTENCY_KEY_UNVERIFIABLE',
  'DLP_BLOCKED',
  'DLP_WARNING',
  'SEND_DUPLICATE',
  'SEND_OUTCOME_UNKNOWN',
  'OUTGOING_UNAVAILABLE',
  'OUTGOING_REFUSED',
  'RECIPIENTS_REFUSED',
  'MESSAGE_REFUSED',
] as const;

const description = `The Idempotency-Key belongs to the mailbox, whatever the API key and the route, for 7 days.

- A refusal without \`outcomeUnknown\` means that nothing was sent: the key may be used again.
- With \`outcomeUnknown\` true the message may have left: repeat with the **same** key, never a new one.
- \`body\` with an HTML element is HTML, and gets a plain alternative; any other is plain text.
- A signature is added where \`signatureId\` names one, below the body and its plain alternative; of
  another mailbox it is answered 404.
- A recipient whose address bounced or complained (\`GET /v1/suppressions\`) is answered 409 \`DLP_WARNING\` with
  \`suppressed\`, and the token confirms the send.
- The mail server may refuse some of the recipients (\`rejected\`); if it refuses all for good, 400.
- If it refuses the mailbox itself (its sign-in, its sender), 503 with a long Retry-After: the settings
  are to be mended, not the request.`;

/** Sending mail (public-api.md §4, "Message sending"). */
export const sends = family('mail', 'sends', {
  create: operation({
    ...sending,
    http: 'POST /v1/send',
    summary: 'Send a message',
    description,
    input: SendMessage,
    rule: (message: SendMessage) => sendFaults(message),
    problems: sendProblems,
  }),
  reply: operation({
    ...sending,
    http: 'POST /v1/conversations/:id/send',
    summary: 'Send a reply in a conversation',
    description,
    input: SendReply,
    rule: replyFaults,
    problems: sendProblems,
  }),
});
