import { randomBytes } from 'node:crypto';
import type { FileSource } from './file-source.js';

/** As many bytes as base64 puts on one line. */
const markBytes = 48;

/**
 * A placeholder for a file in a message: nodemailer writes the message with `content` in place of the file's
 * bytes, and `filled` puts these in when their size is known. nodemailer's streams would copy them a dozen times.
 */
export class FileHole {
  readonly content = randomBytes(markBytes);
  readonly mark = this.content.toString('base64');

  constructor(readonly file: Pick<FileSource, 'size' | 'pieces'>) {}
}

/**
 * Replaces the placeholders, in their order, by the files.
 * @throws what a file's pieces throw
 */
export async function filled(frame: Buffer, holes: readonly FileHole[]): Promise<Buffer> {
  const added = holes.map(({ mark, file }) => base64LinesLength(file.size) - mark.length);
  const raw = Buffer.allocUnsafeSlow(added.reduce((sum, bytes) => sum + bytes, frame.length));
  let read = 0;
  let written = 0;
  for (const { mark, file } of holes) {
    const at = frame.indexOf(mark, read);
    if (at < 0) throw new Error('a file has no place in its message');
    written += frame.copy(raw, written, read, at);
    const lines = new Base64Lines(raw, written);
    for await (const piece of file.pieces) lines.write(piece);
    written = lines.finish();
    read = at + mark.length;
  }
  frame.copy(raw, written, read);
  return raw;
}

const digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const padding = 0x3d;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** RFC 2045 §6.8. */
const lineCharacters = 76;

/** The length of so many bytes as base64, line breaks included; none follows the last line. */
export function base64LinesLength(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + 2 * Math.max(0, Math.ceil(characters / lineCharacters) - 1);
}

/** Writes pieces of bytes as lines of base64 into a buffer, without garbage for large files. */
export class Base64Lines {
  private column = 0;
  /** The bits of an incomplete group of three bytes, and its number of bytes. */
  private bits = 0;
  private count = 0;

  /** @param at the position in `target` */
  constructor(
    private readonly target: Buffer,
    private at: number,
  ) {}

  write(bytes: Uint8Array): void {
    let from = 0;
    for (; this.count > 0 && from < bytes.length; from++) this.take(bytes[from] ?? 0);
    const whole = bytes.length - ((bytes.length - from) % 3);
    for (; from < whole; from += 3) {
      const high = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8);
      this.group(high | (bytes[from + 2] ?? 0));
    }
    for (; from < bytes.length; from++) this.take(bytes[from] ?? 0);
  }

  /** @returns the end position in the buffer */
  finish(): number {
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
