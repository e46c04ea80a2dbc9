import { aheadMsMax } from '../built-ins.js';
import { Nothing } from '../inputs.js';
import {
  Addresses,
  type AttachedFile,
  AttachedFiles,
  Count,
  Email,
  HeaderText,
  Id,
  Instant,
  MailboxName,
  OneOf,
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

/** Mail that a sandbox receives ({@link isSandbox}). */
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
export class SandboxAnswer {
  @Part(() => Sandbox, 'The sandbox.')
  sandbox!: Sandbox;
}

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
      input: Nothing,
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
