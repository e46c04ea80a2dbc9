import { Buffer } from 'node:buffer';
import { unquoted, type PartSource } from './part-source.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const lineFeed = 0x0a;

/**
 * The bytes of a part as the sender had them, of its body as it comes, in pieces cut anywhere. What
 * breaks the encoding is passed over. A line of quoted-printable is held whole.
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

const padding = '='.charCodeAt(0);
const noDigit = 64;
const valueOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = alphabet.indexOf(String.fromCharCode(byte));
  return value < 0 ? noDigit : value;
});

/** RFC 2045 §6.8: what is no digit is passed over, and padding ends it. Without texts in between. */
class Base64 {
  /** Of the digits that make no byte yet. */
  private bits = 0;
  private digits = 0;
  private isPadded = false;

  add(piece: Buffer): Buffer {
    const decoded = Buffer.allocUnsafe(Math.ceil(piece.length / 4) * 3 + 3);
    let { bits, digits } = this;
    let length = 0;
    for (let at = 0; at < piece.length && !this.isPadded; at++) {
      const byte = piece[at] ?? 0;
      const value = valueOf[byte] ?? noDigit;
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

class QuotedPrintable {
  private line: Buffer = Buffer.alloc(0);

  add(piece: Buffer): Buffer {
    const all = Buffer.concat([this.line, piece]);
    const end = all.lastIndexOf(lineFeed) + 1;
    this.line = all.subarray(end);
    return unquoted(all.subarray(0, end));
  }

  end(): Buffer {
    return unquoted(this.line);
  }
}
