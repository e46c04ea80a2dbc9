import { Buffer } from 'node:buffer';
import { digitValue, noDigit, padding, unquoted, type PartSource } from './part-source.js';

const tab = 0x09;
const carriageReturn = 0x0d;
const blank = 0x20;
/** An end of a line that says no more than that is given as it is. */
const undecidedMax = 64 * 1024;

/** The bytes of a file from pieces of the body that has it. */
export async function* decodedFile(
  body: AsyncIterable<Buffer>,
  { encoding, inner }: Pick<PartSource, 'encoding' | 'inner'>,
): AsyncGenerator<Buffer, void> {
  let at = 0;
  for await (const piece of decodedPart(body, encoding)) {
    if (inner === undefined) yield piece;
    else {
      if (at >= inner.end) return;
      yield piece.subarray(Math.max(0, inner.start - at), Math.max(0, inner.end - at));
      at += piece.length;
    }
  }
}

/**
 * Decodes a part from pieces of its body that are cut anywhere. Bytes that break the encoding are skipped.
 */
export async function* decodedPart(
  body: AsyncIterable<Buffer>,
  encoding: PartSource['encoding'],
): AsyncGenerator<Buffer, void> {
  if (encoding === null) {
    yield* body;
    return;
  }
  const decoder = encoding === 'base64' ? new Base64() : new QuotedPrintable();
  for await (const piece of body) yield decoder.add(piece);
  yield decoder.end();
}

/** RFC 2045 §6.8: bytes that are no digit are skipped, and padding ends it. Works without strings. */
class Base64 {
  /** The digits that make no byte yet. */
  private bits = 0;
  private digits = 0;
  private isPadded = false;

  add(piece: Buffer): Buffer {
    const decoded = Buffer.allocUnsafe(Math.ceil(piece.length / 4) * 3 + 3);
    let { bits, digits } = this;
    let length = 0;
    for (let at = 0; at < piece.length && !this.isPadded; at++) {
      const byte = piece[at] ?? 0;
      const value = digitValue[byte] ?? noDigit;
      if (value === noDigit) this.isPadded = byte === padding;
      else {
        bits = (bits << 6) | value;
        digits += 1;
        if (digits === 4) {
          decoded[length++] = bits >> 16;
          decoded[length++] = bits >> 8;
          decoded[length++] = bits;
          bits = digits = 0;
        }
      }
    }
    this.bits = bits;
    this.digits = digits;
    return decoded.subarray(0, length);
  }

  end(): Buffer {
    if (this.digits === 2) return Buffer.of(this.bits >> 4);
    return this.digits === 3 ? Buffer.of(this.bits >> 10, this.bits >> 2) : Buffer.alloc(0);
  }
}

/** RFC 2045 §6.7. Bytes whose meaning depends on the rest of the line are held back. */
class QuotedPrintable {
  private held: Buffer = Buffer.alloc(0);

  add(piece: Buffer): Buffer {
    const all = Buffer.concat([this.held, piece]);
    const end = decidedEnd(all);
    this.held = all.subarray(end);
    return unquoted(all.subarray(0, end));
  }

  end(): Buffer {
    return unquoted(this.held);
  }
}

/** Behind it are blanks, which go where the line ends, and the beginning of an escape. */
function decidedEnd(text: Buffer): number {
  let end = text.length;
  while (end > 0 && (isOpen(text[end - 1]) || text[end - 2] === padding)) end -= 1;
  return text.length - end > undecidedMax ? text.length : end;
}

const isOpen = (byte: number | undefined): boolean =>
  byte === blank || byte === tab || byte === carriageReturn || byte === padding;
