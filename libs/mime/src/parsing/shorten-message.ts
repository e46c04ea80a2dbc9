import { Buffer, isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { charsetOfHeads, headAsUtf8 } from './charsets.js';
import { endOfHead } from './head-end.js';
import { costLimits } from './limits.js';
import { Parts, type PartMarks, type Stretch } from './parts.js';

/**
 * The bytes that were cut from a message before parsing. Each cut is identified by a description that no
 * sender can guess, in the head of the part that was cut.
 */
export class Cuts {
  readonly #mark = randomUUID();
  /** The number of bytes of each cut. */
  readonly #removed: number[] = [];

  get count(): number {
    return this.#removed.length;
  }

  /** The marks of the next part to be cut. */
  marking(marks: PartMarks | null): PartMarks {
    const own = `${this.#mark}-${String(this.count)}.`;
    const { description = '', disposition = null } = marks ?? {};
    return { description: `${own} ${description}`, disposition };
  }

  recordCut(removedBytes: number): void {
    this.#removed.push(removedBytes);
  }

  /** Bytes cut from parts that a part itself holds, such as a forwarded message's. */
  removedWithin(content: Buffer): number {
    let removed = 0;
    if (this.count === 0) return removed;
    for (let at = content.indexOf(this.#mark); at >= 0; at = content.indexOf(this.#mark, at + 1)) {
      const description = content.toString('latin1', at, at + this.#mark.length + 12);
      const number = Number.parseInt(description.slice(this.#mark.length + 1), 10);
      removed += this.#removed[number] ?? 0;
    }
    return removed;
  }
}

/** RFC 5322 §2.1.1, with the line ending. A cut within such a line could split a character. */
const lineBytesMax = 1000;

/** A message whose long bodies were cut, and the cuts. */
export interface ShortenedMessage {
  readonly bytes: Uint8Array;
  readonly cuts: Cuts;
  readonly parts: Parts;
}

/**
 * Cuts bytes that parsing does not need: the rest of a file after the bytes that tell its type, the
 * rest of a text after what is shown. One pass over the bytes, whatever the heads claim: a body
 * ends at the latest where a line starts with `--`, since every boundary does (RFC 2046 §5.1.1). Heads are
 * made UTF-8 on the way, and get the empty line below them where it is missing.
 *
 * @throws Error when the message is beyond `costLimits` all the same.
 */
export function shortenedMessage(raw: Uint8Array): ShortenedMessage {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const cuts = new Cuts();
  const parts = new Parts(message);
  const readable = new ReadableHeads(raw);
  const pieces: Uint8Array[] = [];
  let isChanged = false;
  const kept = { bytes: 0, lines: 0, delimiters: 0 };
  for (const segment of segments(message)) {
    const marks = parts.startPart(segment);
    const { end, lines } = keptPart(segment, kept.bytes);
    const isCut = end < segment.bytes.length;
    const all = isCut ? cuts.marking(marks) : marks;
    const head = readable.headOf(segment, all, marks !== null || segment.offset === 0);
    isChanged ||= isCut || head.length !== 1 || head[0] !== segment.headBytes;
    pieces.push(...(isCut ? shortened(segment, head, end, cuts) : whole(segment, head)));
    kept.bytes += end;
    kept.lines += lines;
    kept.delimiters += 1;
    refuseTooMuch(kept);
  }
  parts.finish();
  return { bytes: isChanged ? Buffer.concat(pieces) : raw, cuts, parts };
}

function refuseTooMuch(kept: {
  readonly bytes: number;
  readonly lines: number;
  readonly delimiters: number;
}): void {
  if (kept.bytes > costLimits.bytesMax) throw new Error('too many bytes');
  if (kept.lines > costLimits.linesMax) throw new Error('too many lines');
  if (kept.delimiters > costLimits.delimitersMax) throw new Error('too many part delimiters');
}

/** The heads of a message as the MIME parser reads them. */
class ReadableHeads {
  private charset: string | undefined;

  constructor(private readonly raw: Uint8Array) {}

  /** The fields that are added, and the head; that of a segment that is none stays as it is. */
  headOf({ headBytes, isClosed }: Stretch, marks: PartMarks | null, isHead: boolean): Buffer[] {
    const fields = marks === null ? [] : [this.utf8(fieldsOf(marks))];
    if (!isHead) return [...fields, headBytes];
    const gap = isClosed ? [] : [emptyLine];
    return [...fields, this.utf8(headBytes), ...gap];
  }

  private utf8(head: Buffer): Buffer {
    if (isUtf8(head)) return head;
    this.charset ??= charsetOfHeads(this.raw);
    return headAsUtf8(head, this.charset);
  }
}

/** A line break is there already, unless the head is all that there is. */
const emptyLine = Buffer.from('\r\n');

const whole = ({ bytes, headStart, bodyStart }: Stretch, head: Buffer[]): Buffer[] => [
  bytes.subarray(0, headStart),
  ...head,
  bytes.subarray(bodyStart),
];

const fieldsOf = ({ description, disposition }: PartMarks): Buffer =>
  Buffer.from(
    `Content-Description: ${description}\r\n` +
      (disposition === null ? '' : `Content-Disposition: ${disposition}\r\n`),
    'latin1',
  );

function shortened(
  { bytes, headStart, bodyStart }: Stretch,
  head: Buffer[],
  end: number,
  cuts: Cuts,
): Buffer[] {
  if (end <= bodyStart) throw new Error('a head is too long');
  const lineEnd = Buffer.from('\r\n');
  const kept = [bytes.subarray(0, headStart), ...head, bytes.subarray(bodyStart, end), lineEnd];
  cuts.recordCut(bytes.length - kept.reduce((sum, { length }) => sum + length, 0));
  return kept;
}

function* segments(message: Buffer): Generator<Stretch> {
  for (let start = 0; start < message.length;) {
    const delimiter = message.indexOf('\n--', start);
    const end = delimiter < 0 ? message.length : delimiter + 1;
    yield segmentOf(message.subarray(start, end), start);
    start = end;
  }
}

function segmentOf(bytes: Buffer, offset: number): Stretch {
  const headStart = bytes[0] === 0x2d && bytes[1] === 0x2d ? bytes.indexOf('\n') + 1 : 0;
  const { at, isClosed } = endOfHead(bytes, headStart, costLimits.headerBytesMax, offset === 0);
  const headBytes = bytes.subarray(headStart, at);
  const head = headBytes.toString('latin1', 0, costLimits.headerBytesMax);
  return { bytes, offset, headStart, bodyStart: at, isClosed, headBytes, head };
}

/** Up to which line, or into which line if it is no common one, a segment is kept. */
function keptPart(
  { bytes, bodyStart, head }: Stretch,
  keptBytes: number,
): { end: number; lines: number } {
  const isFile = /^content-type:\s*(?!text\/)\w/im.test(head);
  const isScarce = keptBytes > costLimits.generousBytesMax;
  const fileBytesMax = isScarce ? costLimits.scarceFileBytesMax : costLimits.fileBytesMax;
  const bodyBytesMax = isFile ? fileBytesMax : costLimits.textBytesMax;
  const endMax = Math.min(bytes.length, bodyStart + bodyBytesMax);
  let lines = 0;
  for (let start = 0; start < endMax; lines++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    const isTooFar = end > endMax && start > bodyStart && end - start <= lineBytesMax;
    if (isTooFar || lines === costLimits.textLinesMax) return { end: start, lines };
    start = end;
  }
  return { end: endMax, lines };
}
