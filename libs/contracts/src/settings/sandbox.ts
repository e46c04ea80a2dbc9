import { aheadMsMax } from '../built-ins.js';
import { AnswerOf, Correspondent } from '../answers.js';
import {
  Addresses,
  type AttachedFile,
  AttachedFiles,
  Count,
  Email,
  Flag,
  HeaderText,
  Id,
  Instant,
  ListOf,
  MailboxName,
  OneOf,
  PageToken,
  Part,
  type Recipient,
  Text,
} from '../fields/index.js';
import { bodyMax, leftOut, messageFaults, subjectMax } from '../compose.js';
import { family, operation } from '../operation.js';

const none = { default: [], nullable: 'absent' } as const;

/** A mail as a correspondent would write it. */
export class ReceiveMail {
  @MailboxName('The mailbox that it arrives in.')
  mailbox!: string;

  @Email('The address it is from.')
  from!: string;

  @HeaderText('The name beside that address.', { max: 200, ...leftOut })
  fromName?: string;

  @Addresses('Recipients of a copy.', none)
  cc!: Recipient[];

  @HeaderText('Subject.', { max: subjectMax, default: '', nullable: 'absent' })
  subject!: string;

  @Text('What it says: HTML, or plain text.', { max: bodyMax, default: '', nullable: 'absent' })
  body!: string;

  @Id('msg', 'The message it answers: one that was sent or received in this mailbox.', leftOut)
  inReplyTo?: string;

  @AttachedFiles('Its files.', none)
  attachments!: AttachedFile[];
}

/** The message that a mail has become. */
export class ReceivedMail {
  @Id('msg', 'The message.')
  id!: string;

  @Id('cnv', 'The conversation that it is part of.')
  threadId!: string;
}

const sentMax = 100;

/** Input of the list of what was sent. */
export class ListSentMail {
  @Count('Messages on a page.', { min: 1, max: sentMax, default: 50 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** A message that a sandbox has sent. */
export class SentMail {
  @Id('msg', 'The message.')
  id!: string;

  @Id('cnv', 'The conversation that it is part of.')
  threadId!: string;

  @Text('The mailbox that has sent it.', { max: 320 })
  mailbox!: string;

  @ListOf(() => Correspondent, 'Recipients.', { max: 500 })
  to!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy.', { max: 500 })
  cc!: Correspondent[];

  @ListOf(() => Correspondent, 'Hidden recipients.', { max: 500 })
  bcc!: Correspondent[];

  @Text('Subject.', { max: subjectMax })
  subject!: string;

  @Text('The beginning of its text.', { max: 200 })
  preview!: string;

  @Flag('Whether it has files.')
  hasAttachments!: boolean;

  @Instant('When, in the time of the sandbox.')
  sentAt!: string;
}

/** A page of the messages that a sandbox has sent. */
export class SentMailPage {
  @ListOf(() => SentMail, 'Messages, newest first.', { max: sentMax })
  items!: SentMail[];

  @Text('Asks for the next page; null after the last.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** Mail of a sandbox ({@link isSandbox}). */
export const sandboxMail = family(
  'mail',
  'sandboxMail',
  {
    receive: operation({
      http: 'POST /sandbox/receive',
      effect: 'intake',
      sandbox: true,
      summary: 'Receive a mail that is described here, as if it had arrived',
      description:
        'The mail is written out, parsed, threaded and stored as one that came by SMTP, and emits ' +
        '`conversation.received`. Its sender counts as authenticated. Each call is another mail.',
      success: 201,
      bodyMax: 8 * 1024 * 1024,
      emits: ['conversation.received'],
      input: ReceiveMail,
      rule: (mail: ReceiveMail) => messageFaults(mail),
      output: ReceivedMail,
      problems: ['MAILBOX_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'QUOTA_EXCEEDED'],
    }),
    list: operation({
      http: 'GET /sandbox/outbox',
      sandbox: true,
      summary: 'List what the sandbox has sent',
      description:
        'None of it has left. `GET /settings/api/v1/conversations/{id}` has the whole of each. What is sent to ' +
        '`reject@sandbox.invalid` is refused; what is sent to `bounce@sandbox.invalid` or `complain@sandbox.invalid` ' +
        'is here, and its conversation has a report of a bounce or of a complaint.',
      input: ListSentMail,
      output: SentMailPage,
    }),
  },
  { audience: 'member', admin: true },
);

/** Ten years: what a clock is moved by at once. */
const advanceMsMax = 3_653 * 86_400_000;

/** Stops of one advance. */
export const clockStopsMax = 10_000;

/** An advance of the clock. */
export class ClockAdvance {
  @OneOf(
    ['running', 'done', 'stopped'],
    'Whether it is under way; `stopped`: it has ended early, after 10,000 stops.',
  )
  state!: 'running' | 'done' | 'stopped';

  @Count('Milliseconds by which the clock is moved.', { max: advanceMsMax })
  advanceMs!: number;

  @Count('Milliseconds by which it has been moved yet.', { max: advanceMsMax })
  advancedMs!: number;

  @Count('How often it has stopped at something that was due.', { max: clockStopsMax })
  stops!: number;
}

/** A sandbox and its clock. */
export class Sandbox {
  @Instant('The time in the sandbox.')
  now!: string;

  @Count('Milliseconds that it is ahead of the real time.', { max: aheadMsMax })
  aheadMs!: number;

  @Part(() => ClockAdvance, 'The last advance; null before the first one.', { nullable: true })
  advance!: ClockAdvance | null;
}

/** Answer of the sandbox. */
export class SandboxAnswer extends AnswerOf('sandbox', () => Sandbox, 'The sandbox.') {}

/** Input of an advance. */
export class AdvanceClock {
  @Count('Milliseconds by which the clock is moved forward: ten years at most.', {
    min: 1,
    max: advanceMsMax,
  })
  advanceMs!: number;
}

/** The clock of a sandbox. */
export const sandbox = family(
  'access',
  'sandbox',
  {
    get: operation({
      http: 'GET /sandbox',
      sandbox: true,
      summary: 'Get the time of the sandbox, and its last advance',
      output: SandboxAnswer,
    }),
    clock: operation({
      http: 'POST /sandbox/clock',
      effect: 'intake',
      sandbox: true,
      summary: 'Move the clock of the sandbox forward',
      description:
        'The clock stops at each thing that is due on the way, in the order of time, until that and the webhooks ' +
        'of its events are done; one that is not done after 30 s is left behind. The answer waits for the end, for ' +
        '30 s at most: `advance.state` is `running` then, and `GET /settings/api/sandbox` shows the end. What is kept ' +
        'for some days and then deleted, sessions and rate limits keep the real time.',
      input: AdvanceClock,
      output: SandboxAnswer,
      deadlineMs: 40_000,
      problems: ['CLOCK_MOVING'],
    }),
  },
  { audience: 'member', admin: true },
);
