import { Correspondent, Participant } from '../answers.js';
import {
  Count,
  Flag,
  Id,
  Instant,
  ListOf,
  OneOf,
  Part,
  SomeOf,
  Text,
  Texts,
} from '../fields/index.js';

/** A file of a message; its type is detected from its bytes, not believed. */
export class Attachment {
  @Id('att', 'The attachment.')
  id!: string;

  @Text('File name, without any path.', { max: 255, nullable: true })
  filename!: string | null;

  @Text('Media type detected from the leading bytes.', { max: 255 })
  mimeType!: string;

  @Text('Media type the sender declared.', { max: 255, nullable: true })
  declaredMimeType!: string | null;

  @Count('Bytes, decoded.', { max: Number.MAX_SAFE_INTEGER })
  size!: number;

  @Flag('Shown inside the HTML body.')
  inline!: boolean;

  @Text('Content-ID, without angle brackets.', { max: 998, nullable: true })
  contentId!: string | null;
}

/** Results of a check of the sender (RFC 8601 §2.7). */
export type AuthVerdict =
  | 'pass'
  | 'fail'
  | 'softfail'
  | 'neutral'
  | 'none'
  | 'temperror'
  | 'permerror';

/** Verdicts of sender authentication, each an `AuthVerdict`; null where it was not checked. */
export class MessageAuth {
  // Texts, as in the payloads that are published: those may only grow.
  @Text('SPF verdict.', { max: 20, nullable: true })
  spf!: string | null;

  @Text('DKIM verdict.', { max: 20, nullable: true })
  dkim!: string | null;

  @Text('DMARC verdict.', { max: 20, nullable: true })
  dmarc!: string | null;
}

export const invitationMethods = ['REQUEST', 'REPLY', 'CANCEL'] as const;
export const invitationStates = [
  'applied',
  'stale',
  'unmatched',
  'unconfirmed',
  'refused',
] as const;

/** The link of a message to an event (RFC 6047), and its outcome. */
export class MessageInvitation {
  @OneOf(invitationMethods, 'An invitation or a change of one, an answer, or a cancellation.')
  method!: (typeof invitationMethods)[number];

  @Text('The event’s identifier in iCalendar.', { max: 255 })
  uid!: string;

  @OneOf(
    invitationStates,
    'Done; older than what is known; about no event here; waiting for a member, since nothing shows who sent it; or not acted on.',
  )
  state!: (typeof invitationStates)[number];

  @Text('Why it was not acted on; null where it was.', {
    max: 200,
    nullable: true,
    optional: true,
  })
  reason?: string | null;
}

/** Reasons that make a message suspect (`decisions.md` §9). */
export const trustReasons = [
  'auth_failed',
  'auth_missing',
  'sender_name',
  'lookalike_domain',
  'hidden_text',
  'instructions',
  'misleading_link',
] as const;

export type TrustReason = (typeof trustReasons)[number];

export const trustLevels = ['ordinary', 'caution', 'hostile'] as const;

/** Trust in a message: a hint for its readers, which filters nothing. */
export class MessageTrust {
  @OneOf(trustLevels, 'The verdict.')
  level!: (typeof trustLevels)[number];

  @SomeOf(trustReasons, 'What speaks against it.')
  reasons!: TrustReason[];
}

/** Content of a report on a message that was sent. */
export class MessageBounced {
  @Text('The address that it is about.', { max: 320, nullable: true })
  recipient!: string | null;

  @Text('Status code (RFC 3463), such as `5.1.1`.', { max: 20, nullable: true })
  status!: string | null;

  @Text(
    '`failed`, `delayed`, `delivered`, `relayed` or `expanded` (RFC 3464), or `complained` (RFC 5965).',
    { max: 40 },
  )
  action!: string;

  @Text('The reason, in the server’s words.', { max: 500, nullable: true })
  text!: string | null;

  @Id('msg', 'The message that it is about; null when none of the conversation is.', {
    nullable: true,
  })
  of!: string | null;
}

/** Creator of an outbound message. */
export class Creator {
  @OneOf(['key', 'member'], 'An API key or a member.')
  type!: 'key' | 'member';

  @Text('The key or the member.', { max: 30 })
  id!: string;
}

/** A message of a conversation (`decisions.md` §4). */
export class Message {
  @Id('msg', 'The message.')
  id!: string;

  @Id('cnv', 'The conversation it belongs to.')
  threadId!: string;

  @OneOf(['inbound', 'outbound'], 'Received or sent.')
  direction!: 'inbound' | 'outbound';

  @Part(() => Participant, 'Sender; null when the message names none.', { nullable: true })
  from!: Participant | null;

  @ListOf(() => Correspondent, 'Recipients, the first 500.', { max: 500 })
  to!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy, the first 500.', { max: 500 })
  cc!: Correspondent[];

  @ListOf(() => Correspondent, 'Hidden recipients; outbound messages only.', { max: 500 })
  bcc!: Correspondent[];

  @ListOf(() => Correspondent, 'Where answers should go.', { max: 500 })
  replyTo!: Correspondent[];

  @Flag(
    'True where one of these four lists was longer, or is left out of a very long conversation.',
    {
      optional: true,
    },
  )
  recipientsTruncated?: boolean;

  @Text('Subject.', { max: 998 })
  subject!: string;

  @Text('Start of the text, plain.', { max: 200 })
  preview!: string;

  @Text('Plain text, of at most the first 30,000 lines and 1 MiB that were sent.', {
    max: 1_048_576,
    nullable: true,
  })
  text!: string | null;

  @Text('HTML, sanitised, of at most the first 30,000 lines and 1 MiB that were sent.', {
    max: 1_048_576,
    nullable: true,
  })
  html!: string | null;

  @Text('The new part only, without what was quoted.', { max: 1_048_576, nullable: true })
  extractedText!: string | null;

  @Flag('Whether the HTML asked for content from elsewhere.')
  hasRemoteContent!: boolean;

  @Instant('The Date header.', { nullable: true })
  sentAt!: string | null;

  @Instant('Arrival.')
  receivedAt!: string;

  @Text('Message-ID, without angle brackets.', { max: 998, nullable: true })
  messageId!: string | null;

  @Text('In-Reply-To, without angle brackets.', { max: 998, nullable: true })
  inReplyTo!: string | null;

  @Texts('References, oldest first, without angle brackets.', { max: 100, each: 998 })
  references!: string[];

  @ListOf(() => Attachment, 'Files.', { max: 10_000 })
  attachments!: Attachment[];

  @Flag(
    'Sent by a machine: an answer, a report, a newsletter (RFC 3834); not what people post to a list.',
  )
  isAutoReply!: boolean;

  @Flag('A report that a message was not delivered, or that its recipient complained.')
  bounce!: boolean;

  @Part(() => MessageBounced, 'What a report on a message says.', {
    optional: true,
    nullable: true,
  })
  bounced?: MessageBounced | null;

  @Part(() => MessageAuth, 'Sender authentication.')
  auth!: MessageAuth;

  @Part(() => MessageTrust, 'How far to trust it: a hint, which proves nothing.', {
    optional: true,
  })
  trust?: MessageTrust;

  @Part(() => MessageInvitation, 'What it has to do with an event, once that is decided.', {
    optional: true,
    nullable: true,
  })
  invitation?: MessageInvitation | null;

  @Text('Declared priority.', { max: 20, nullable: true })
  priority!: string | null;

  @Count('Bytes of the raw message.', { max: Number.MAX_SAFE_INTEGER })
  sizeBytes!: number;

  @Text('Identifier the provider gave; outbound only.', { max: 998, nullable: true })
  providerMessageId!: string | null;

  @OneOf(['smtp', 'reconciled'], 'How the receipt came; outbound only.', { nullable: true })
  receiptSource!: 'smtp' | 'reconciled' | null;

  @Part(() => Creator, 'Who sent it; outbound only.', { nullable: true })
  createdBy!: Creator | null;
}
