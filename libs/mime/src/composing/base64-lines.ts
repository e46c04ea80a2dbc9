const digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const padding = 0x3d;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** RFC 2045 §6.8. */
const lineCharacters = 76;

/** Characters that so many bytes become, line breaks included; none follows the last line. */
export function base64LinesLength(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + 2 * Math.max(0, Math.ceil(characters / lineCharacters) - 1);
}

/** Writes bytes that come in pieces as lines of base64 into a buffer: megabytes of it leave no garbage. */
export class Base64Lines {
  private column = 0;
  /** Of a group of three that is not whole: its bits, and how many bytes they are. */
  private bits = 0;
  private count = 0;

  /** @param at where it begins in `target`, then how far it has got */
  constructor(
    private readonly target: Buffer,
    private at: number,
  ) {}

  add(bytes: Uint8Array): void {
    let from = 0;
    for (; this.count > 0 && from < bytes.length; from++) this.take(bytes[from] ?? 0);
    const whole = bytes.length - ((bytes.length - from) % 3);
    for (; from < whole; from += 3) {
      const high = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8);
      this.group(high | (bytes[from + 2] ?? 0));
    }
    for (; from < bytes.length; from++) this.take(bytes[from] ?? 0);
  }

  /** @returns where it ends in the buffer */
  end(): number {
    const { count } = this;
    if (count > 0) {
      this.group(this.bits << (8 * (3 - count)));
      this.target.fill(padding, this.at - (3 - count), this.at);
    }
    return this.at;
  }

  private take(byte: number): void {
    this.bits = (this.bits << 8) | byte;
    this.count += 1;
    if (this.count < 3) return;
    this.group(this.bits);
    this.bits = 0;
    this.count = 0;
  }

  private group(bits: number): void {
    const { target } = this;
    let { at } = this;
    if (this.column === lineCharacters) {
      target[at++] = carriageReturn;
      target[at++] = lineFeed;
      this.column = 0;
    }
    target[at++] = digits[bits >> 18] ?? 0;
    target[at++] = digits[(bits >> 12) & 0x3f] ?? 0;
    target[at++] = digits[(bits >> 6) & 0x3f] ?? 0;
    target[at++] = digits[bits & 0x3f] ?? 0;
    this.column += 4;
    this.at = at;
  }
}
