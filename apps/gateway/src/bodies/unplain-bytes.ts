const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const space = 0x20;
const delete_ = 0x7f;

const isPlain = (byte: number): boolean => byte >= space && byte <= delete_;

/**
 * Of the inside of a JSON text what can keep it from being one: controls, escape sequences, and what is
 * not ASCII. What else there is is one blank, so that no two bytes meet that did not stand together.
 */
export class UnplainBytes {
  private isEscaped = false;
  /** Of an escape sequence's digits, how many are to come. */
  private digits = 0;
  private isAfterPlain = false;

  /** Where the text ends: its quote, or the end of what has come. Read {@link of} up to there next. */
  endOfText(chunk: Buffer, from: number): number {
    let { isEscaped } = this;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === quote && !isEscaped) return at;
      isEscaped = byte === backslash && !isEscaped;
    }
    return chunk.length;
  }

  /** What is kept of these bytes. */
  of(bytes: Buffer): Buffer {
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
