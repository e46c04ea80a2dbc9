const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const padding = 0x3d;
/** Marks bytes outside of the alphabet. */
const none = 0xff;

const values = new Uint8Array(256).fill(none);
for (const [value, character] of [...alphabet].entries()) values[character.charCodeAt(0)] = value;

/** How many bytes were read, and how many decoded bytes were written. */
export interface Decoded {
  readonly read: number;
  readonly written: number;
}

/**
 * Decodes canonical base64 (RFC 4648 §4: standard alphabet, padded, padding bits zero) in pieces of any
 * length. Node's decoder takes strings, allocates its results and ignores invalid characters, so that
 * its result would have to be encoded again to check it.
 */
export class Base64Decoder {
  /** The incomplete group of four: its characters, padding included, and their bits. */
  private count = 0;
  private bits = 0;
  private paddings = 0;

  /** Whether the string may end here. */
  get isWhole(): boolean {
    return this.count === 0;
  }

  /**
   * Decodes `source` from `from` to `to` into `target` at `at`. It stops early when `target` has no
   * room for three bytes, and at an invalid character.
   */
  decode(source: Buffer, from: number, to: number, target: Buffer, at: number): Decoded {
    let read = from;
    let written = at;
    while (read < to && written + 3 <= target.length) {
      if (this.count === 0 && this.paddings === 0) {
        const groups = wholeGroups(source, read, to, target, written);
        read += groups * 4;
        written += groups * 3;
        if (read === to || written + 3 > target.length) break;
      }
      if (!this.take(source[read] ?? 0)) break;
      read += 1;
      if (this.count === 4) written += this.endGroup(target, written);
    }
    return { read: read - from, written: written - at };
  }

  /** Takes a character. @returns whether it is valid here */
  private take(byte: number): boolean {
    const value = values[byte] ?? none;
    if (byte === padding ? !this.mayPad() : value === none || this.paddings > 0) return false;
    this.count += 1;
    if (byte === padding) this.paddings += 1;
    else this.bits = (this.bits << 6) | value;
    return true;
  }

  /** Padding follows two characters whose last four bits are zero, or three whose last two are. */
  private mayPad(): boolean {
    if (this.count === 2) return (this.bits & 0xf) === 0;
    return this.count === 3 && (this.paddings > 0 || (this.bits & 3) === 0);
  }

  private endGroup(target: Buffer, at: number): number {
    const bits = this.bits << (6 * this.paddings);
    target[at] = bits >> 16;
    target[at + 1] = bits >> 8;
    target[at + 2] = bits;
    this.count = 0;
    this.bits = 0;
    return 3 - this.paddings;
  }
}

/** Decodes groups without padding, up to one that is invalid or has no room. @returns how many */
function wholeGroups(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  const max = Math.min((to - from) >> 2, Math.floor((target.length - at) / 3));
  let read = from;
  let written = at;
  for (let group = 0; group < max; group++) {
    const a = valueAt(source, read);
    const b = valueAt(source, read + 1);
    const c = valueAt(source, read + 2);
    const d = valueAt(source, read + 3);
    if ((a | b | c | d) === none) return group;
    target[written] = (a << 2) | (b >> 4);
    target[written + 1] = (b << 4) | (c >> 2);
    target[written + 2] = (c << 6) | d;
    read += 4;
    written += 3;
  }
  return max;
}

const valueAt = (source: Buffer, at: number): number => values[source[at] ?? 0] ?? none;
