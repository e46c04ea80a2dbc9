import type { DlpAction, DlpDetector, DlpPlace, Suppression } from '@postroom/contracts';
import type { Signature } from '@postroom/mime';

/** A file of an outgoing message. */
export interface JudgedFile {
  readonly filename: string | null;
  /** The detected type, not the declared one. */
  readonly mimeType: string;
}

/** The parts of an outgoing message that are judged. */
export interface JudgedMessage {
  /** Address of the mailbox that it leaves from. */
  readonly mailbox: string;
  readonly subject: string;
  /** Its bodies, as they leave; null for one that it does not have. */
  readonly html: string | null;
  readonly text: string | null;
  /** The addresses of `to`, `cc` and `bcc` together. */
  readonly recipients: readonly { readonly email: string; readonly name: string | null }[];
  readonly attachments: readonly JudgedFile[];
}

/** A message before its bodies are made. */
export interface WrittenMessage extends Omit<JudgedMessage, 'html' | 'text'> {
  readonly body: string;
  readonly signature: Signature | null;
}

/** A rule: its detector and its action. */
export interface JudgingRule {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly detector: DlpDetector;
  readonly pattern: string | null;
  readonly action: DlpAction;
}

/** A rule that matches a message in one place; it contains what was found only with most of it masked. */
export interface Hit {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly name: string;
  readonly detector: DlpDetector;
  readonly action: DlpAction;
  readonly where: DlpPlace;
  /** The number of different finds; ten means ten or more. */
  readonly count: number;
  /** The first find, masked; empty where it is far into a long text. */
  readonly excerpt: string;
}

/** The verdict on a message: it may leave, only when it is confirmed, or not at all. */
export interface Judgement {
  readonly verdict: 'ok' | 'warning' | 'blocked';
  readonly hits: readonly Hit[];
  /** The recipients that are suppressed. */
  readonly suppressed: readonly Suppression[];
}

/** The judgement that follows from the hits, and from recipients that are suppressed. */
export function judgementOf(
  hits: readonly Hit[],
  suppressed: readonly Suppression[] = [],
): Judgement {
  const isBlocked = hits.some(({ action }) => action === 'block');
  const verdict = hits.length + suppressed.length > 0 ? 'warning' : 'ok';
  return { verdict: isBlocked ? 'blocked' : verdict, hits, suppressed };
}
