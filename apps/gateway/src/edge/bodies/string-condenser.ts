const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const space = 0x20;
const delete_ = 0x7f;

const isPlain = (byte: number): boolean => byte >= space && byte <= delete_;

/**
 * Condenses the inside of a JSON string to what decides whether it is valid: controls, escape sequences
 * and bytes beyond ASCII are kept, and each run of other characters becomes one blank, so that no bytes
 * become neighbours that were not.
 */
export class StringCondenser {
  private isEscaped = false;
  /** Digits of a `\u` escape sequence that are still to come. */
  private digits = 0;
  private isAfterPlain = false;

  /** The index of the quote that ends the string, or the chunk's length; condense up to there next. */
  endOfString(chunk: Buffer, from: number): number {
    let { isEscaped } = this;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === quote && !isEscaped) return at;
      isEscaped = byte === backslash && !isEscaped;
    }
    return chunk.length;
  }

  condense(bytes: Buffer): Buffer {
    const kept: number[] = [];
    for (const byte of bytes) {
      if (this.isKept(byte)) {
        this.isAfterPlain = false;
        kept.push(byte);
      } else if (!this.isAfterPlain) {
        this.isAfterPlain = true;
        kept.push(space);
      }
    }
    return Buffer.from(kept);
  }

  private isKept(byte: number): boolean {
    if (this.isEscaped) {
      this.isEscaped = false;
      this.digits = byte === letterU ? 4 : 0;
      return true;
    }
    if (byte === backslash) {
      this.isEscaped = true;
      this.digits = 0;
      return true;
    }
    if (this.digits > 0) {
      this.digits -= 1;
      return true;
    }
    return !isPlain(byte);
  }
}
