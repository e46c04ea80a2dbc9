import type { DlpAction, DlpDetector, DlpPlace } from '@postroom/contracts';

/** A file that is to leave. */
export interface JudgedFile {
  readonly filename: string | null;
  /** What it is, not what it was declared to be. */
  readonly mimeType: string;
}

/** What of a message that is to leave is judged. */
export interface JudgedMessage {
  /** Address of the mailbox that it leaves from. */
  readonly mailbox: string;
  readonly subject: string;
  /** Its bodies, as they leave; null for one that it does not have. */
  readonly html: string | null;
  readonly text: string | null;
  /** Of `to`, `cc` and `bcc` together. */
  readonly recipients: readonly { readonly email: string; readonly name: string | null }[];
  readonly attachments: readonly JudgedFile[];
}

/** What a rule looks for, and what it does to a message that has it. */
export interface JudgingRule {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly detector: DlpDetector;
  readonly pattern: string | null;
  readonly action: DlpAction;
}

/** One rule that a message has set off, in one place. Never what was found. */
export interface Hit {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly name: string;
  readonly detector: DlpDetector;
  readonly action: DlpAction;
  readonly where: DlpPlace;
  /** How often; ten is ten or more. */
  readonly count: number;
}

/** What the rules say of a message: it may leave, when it is confirmed, or not at all. */
export interface Judgement {
  readonly verdict: 'ok' | 'warning' | 'blocked';
  readonly hits: readonly Hit[];
}

/** The judgement that hits come to. */
export function judgementOf(hits: readonly Hit[]): Judgement {
  if (hits.some(({ action }) => action === 'block')) return { verdict: 'blocked', hits };
  return { verdict: hits.length > 0 ? 'warning' : 'ok', hits };
}
