import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
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

  /** The Content-Description of the next part to be cut. */
  nextDescription(): string {
    return `${this.#mark}-${String(this.count)}.`;
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
 * ends at the latest where a line starts with `--`, since every boundary does (RFC 2046 §5.1.1).
 *
 * @throws Error when the message is beyond `costLimits` all the same.
 */
export function shortenedMessage(raw: Uint8Array): ShortenedMessage {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const cuts = new Cuts();
  const parts = new Parts(message);
  const pieces: Uint8Array[] = [];
  let keptBytes = 0;
  let keptLines = 0;
  let delimiters = 0;
  for (const segment of segments(message)) {
    const marks = parts.startPart(segment);
    const { end, lines } = keptPart(segment, keptBytes);
    if (end < segment.bytes.length) pieces.push(...shortened(segment, end, cuts, marks));
    else pieces.push(...marked(segment, marks));
    keptBytes += end;
    keptLines += lines;
    if (keptBytes > costLimits.bytesMax) throw new Error('too many bytes');
    if (keptLines > costLimits.linesMax) throw new Error('too many lines');
    if (++delimiters > costLimits.delimitersMax) throw new Error('too many part delimiters');
  }
  parts.finish();
  return { bytes: delimiters === 1 && cuts.count === 0 ? raw : Buffer.concat(pieces), cuts, parts };
}

/** A segment whose head tells which part it begins. */
function marked({ bytes, headStart }: Stretch, marks: PartMarks | null): Uint8Array[] {
  if (marks === null) return [bytes];
  return [bytes.subarray(0, headStart), fieldsOf(marks), bytes.subarray(headStart)];
}

const fieldsOf = ({ description, disposition }: PartMarks): Buffer =>
  Buffer.from(
    `Content-Description: ${description}\r\n` +
      (disposition === null ? '' : `Content-Disposition: ${disposition}\r\n`),
    'latin1',
  );

function shortened(
  segment: Stretch,
  end: number,
  cuts: Cuts,
  marks: PartMarks | null,
): Uint8Array[] {
  const { bytes, headStart, bodyStart } = segment;
  if (end <= bodyStart) throw new Error('a head is too long');
  const fields = fieldsOf({
    description: `${cuts.nextDescription()} ${marks?.description ?? ''}`,
    disposition: marks?.disposition ?? null,
  });
  const rest = Buffer.concat([bytes.subarray(headStart, end), Buffer.from('\r\n')]);
  const keptBytes = headStart + fields.length + rest.length;
  cuts.recordCut(bytes.length - keptBytes);
  return [bytes.subarray(0, headStart), fields, rest];
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
  const start = bytes.subarray(0, headStart + costLimits.headerBytesMax);
  const ends = ['\n\n', '\n\r\n'].map((gap) => start.indexOf(gap)).filter((end) => end >= 0);
  const bodyStart = ends.length === 0 ? bytes.length : Math.min(...ends) + 1;
  const head = start.toString('latin1', headStart, bodyStart);
  return { bytes, offset, headStart, bodyStart, head };
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
