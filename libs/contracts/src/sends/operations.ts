import { GivenMessage, leftOut, messageFaults } from '../compose/index.js';
import { Id, MailboxName, Text, unseenFaults, type Violation } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { SendReceipt } from './receipt.js';

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

const sendFaults = (message: GivenMessage): readonly Violation[] => [
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

/** What both send routes are. */
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

const problems = [
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
    problems,
  }),
  reply: operation({
    ...sending,
    http: 'POST /v1/conversations/:id/send',
    summary: 'Send a reply in a conversation',
    description,
    input: SendReply,
    rule: replyFaults,
    problems,
  }),
});
