import { setImmediate as turn } from 'node:timers/promises';

/** The largest message that is verified: mailauth takes quadratic time for more (ADR 45). */
export const bounds = {
  headBytes: 128 * 1024,
  headLines: 5_000,
  lineBytes: 64 * 1024,
  signatures: 10,
} as const;

const chunkBytes = 64 * 1024;
const signature = /^dkim-signature[ \t]*(?::|\r?\n?$)/i;
const fieldStart = /^[\x21-\x39\x3b-\x7e]+[ \t]*(?::|\r?\n?$)/;

/** A message as it may be given to mailauth. */
export interface BoundedMessage {
  /** Its header fields to the empty line, with ten signatures at most: the uppermost, added last. */
  readonly head: Buffer;
  readonly body: Buffer;
  readonly isSigned: boolean;
}

/** @returns null for a message whose head is too large to be verified */
export function boundedMessage(raw: Buffer): BoundedMessage | null {
  const end = headEnd(raw);
  if (end > bounds.headBytes) return null;
  const lines = raw.toString('latin1', 0, end).split(/(?<=\n)/);
  if (lines.length > bounds.headLines) return null;
  const kept = firstSignatures(lines);
  return {
    head: Buffer.from(kept.join(''), 'latin1'),
    body: raw.subarray(end),
    isSigned: kept.some((line) => signature.test(line)),
  };
}

/** The end of the empty line behind the header fields; the whole length where there is none. */
function headEnd(raw: Buffer): number {
  const [first, second] = [raw.indexOf('\n\n'), raw.indexOf('\n\r\n')];
  if (raw[0] === 0x0a) return 1;
  if (raw[0] === 0x0d && raw[1] === 0x0a) return 2;
  const ends = [first < 0 ? raw.length : first + 2, second < 0 ? raw.length : second + 3];
  return Math.min(...ends);
}

/** The lines without those of further signatures. */
function firstSignatures(lines: readonly string[]): string[] {
  let count = 0;
  let isDropped = false;
  return lines.filter((line) => {
    if (/^\r?\n$/.test(line)) return true;
    if (signature.test(line)) isDropped = ++count > bounds.signatures;
    else if (fieldStart.test(line)) isDropped = false;
    return !isDropped;
  });
}

/** A line that is longer than any that may be sent (RFC 5322 §2.1.1), and than what is verified. */
export class LineTooLong extends Error {}

/**
 * The bytes to verify, in pieces between which other connections are served, bare line feeds as CRLF:
 * mailauth would yield for each. The body of an unsigned message is left out.
 *
 * @throws LineTooLong, or the reason of the signal once it is aborted
 */
export async function* piecesOf(
  { head, body, isSigned }: BoundedMessage,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let previous = 0;
  let lineStart = 0;
  yield withLineBreaks(head, 0);
  for (let at = 0; isSigned && at < body.length; at += chunkBytes) {
    await turn();
    signal.throwIfAborted();
    const chunk = body.subarray(at, at + chunkBytes);
    if (at + chunk.length - lineStart > bounds.lineBytes) {
      const firstBreak = chunk.indexOf(0x0a);
      if (firstBreak < 0 || at + firstBreak - lineStart > bounds.lineBytes) throw new LineTooLong();
    }
    const lastBreak = chunk.lastIndexOf(0x0a);
    if (lastBreak >= 0) lineStart = at + lastBreak + 1;
    yield withLineBreaks(chunk, previous);
    previous = chunk.at(-1) ?? 0;
  }
}

/** @param previous the byte before */
function withLineBreaks(chunk: Buffer, previous: number): Buffer {
  const text = chunk.toString('latin1').replace(/(?<!\r)\n/g, '\r\n');
  const isSplit = previous === 0x0d && chunk[0] === 0x0a;
  return Buffer.from(isSplit ? text.slice(1) : text, 'latin1');
}
