import { Buffer } from 'node:buffer';

/** The end of a head. */
export interface HeadEnd {
  /** The position of the empty line below it, or of the body's first line. */
  readonly at: number;
  /** False where the empty line is missing. */
  readonly isClosed: boolean;
}

const field = /^([^\s:]+)[ \t]*:/;
/** Fields that show that a head goes on behind a line that is none of its own. */
const ofParts = /^content-/;
const ofMessages =
  /^(?:content-|mime-version$|received$|return-path$|from$|to$|cc$|reply-to$|subject$|date$|message-id$|in-reply-to$|references$)/;
const lineFeed = 0x0a;

/**
 * The end of the head that begins at a position. A line that is no field ends it where the empty line is missing
 * (the defect MissingHeaderBodySeparator of Python's parser), unless a field that every head has, and this one
 * has not had yet, comes below it. Linear.
 *
 * @param isMessage false for the head of a part
 */
export function endOfHead(
  bytes: Buffer,
  from: number,
  bytesMax: number,
  isMessage: boolean,
): HeadEnd {
  const end = Math.min(bytes.length, from + bytesMax);
  const head = new Head(isMessage ? ofMessages : ofParts);
  for (let start = from; start < end;) {
    const feed = bytes.indexOf(lineFeed, start);
    const next = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.toString('latin1', start, Math.min(next, start + 200));
    if (/^\r?\n/.test(line)) return head.endAt(start, true);
    head.take(line, start, start === from);
    // A message whose first line is no field has no head at all.
    if (isMessage && head.isNone) return closedEnd(bytes, from, end);
    start = next;
  }
  return head.endAt(bytes.length, false);
}

/** A head as far as its lines were read. */
class Head {
  private readonly seen = new Set<string>();
  /** The first line that is no field, unless the head went on below it. */
  private odd: number | null = null;

  constructor(private readonly essential: RegExp) {}

  get isNone(): boolean {
    return this.odd !== null && this.seen.size === 0;
  }

  take(line: string, start: number, isFirst: boolean): void {
    const name = field.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) {
      if (!/^[ \t]/.test(line) && !isEnvelope(line, isFirst)) this.odd ??= start;
      return;
    }
    if (this.essential.test(name) && !this.seen.has(name)) this.odd = null;
    this.seen.add(name);
  }

  endAt(at: number, isClosed: boolean): HeadEnd {
    return this.odd === null ? { at, isClosed } : { at: this.odd, isClosed: false };
  }
}

/** The line by which an mbox file begins a message, left on it. */
const isEnvelope = (line: string, isFirst: boolean): boolean => isFirst && /^>?From /.test(line);

/** The end of a head as a reader sees it that only looks for the empty line. */
function closedEnd(bytes: Buffer, from: number, end: number): HeadEnd {
  const start = bytes.subarray(0, end);
  const gaps = ['\n\n', '\n\r\n'].map((gap) => start.indexOf(gap, from)).filter((at) => at >= 0);
  return { at: gaps.length === 0 ? bytes.length : Math.min(...gaps) + 1, isClosed: true };
}
