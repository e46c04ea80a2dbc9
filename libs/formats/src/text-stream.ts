import type { EntrySplitter, SplitEntry } from './entry-bytes.js';

/** Decodes bytes by the name of their charset; windows-1252 where they are not what they should be. */
export function decodeText(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // Not a charset that is known, or not of it.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The charset of a file of UTF-16, by its mark, or by the zeros of its first letters; null for any other. */
function wideCharset(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const begin = bytes.toString('latin1', 0, 4);
  if (/^\xff\xfe|^[^\0]\0[^\0]\0/.test(begin)) return 'utf-16le';
  return /^\xfe\xff|^\0[^\0]\0[^\0]/.test(begin) ? 'utf-16be' : null;
}

const [carriageReturn, lineFeed] = [0x0d, 0x0a];

/** Splits a text of any kind: UTF-16 becomes UTF-8, and a carriage return alone a line end. */
export class TextStream implements EntrySplitter {
  private decoder: InstanceType<typeof TextDecoder> | null | undefined;
  /** The beginning, until its charset shows. */
  private begun: Buffer = Buffer.alloc(0);
  private isAfterReturn = false;

  constructor(private readonly splitter: EntrySplitter) {}

  get zones(): Buffer {
    return this.splitter.zones ?? Buffer.alloc(0);
  }

  get isBehind(): boolean {
    return this.splitter.isBehind ?? false;
  }

  push(chunk: Buffer): SplitEntry[] {
    if (this.decoder !== undefined) return this.splitter.push(this.plain(chunk));
    this.begun = Buffer.concat([this.begun, chunk]);
    return this.begun.length < 4 ? [] : this.startDecoding();
  }

  end(): SplitEntry[] {
    const first = this.decoder === undefined ? this.startDecoding() : [];
    const rest = Buffer.from(`${this.decoder?.decode() ?? ''}${this.isAfterReturn ? '\n' : ''}`);
    this.isAfterReturn = false;
    return [...first, ...this.splitter.push(rest), ...this.splitter.end()];
  }

  private startDecoding(): SplitEntry[] {
    const charset = wideCharset(this.begun);
    this.decoder = charset && new TextDecoder(charset);
    return this.splitter.push(this.plain(this.begun));
  }

  private plain(chunk: Buffer): Buffer {
    const bytes = this.decoder ? Buffer.from(this.decoder.decode(chunk, { stream: true })) : chunk;
    return this.withLineEnds(bytes);
  }

  /** A return is held back until what follows shows whether a line feed belongs to it. */
  private withLineEnds(bytes: Buffer): Buffer {
    if (!this.isAfterReturn && !bytes.includes(carriageReturn)) return bytes;
    const out = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.isAfterReturn) out[length++] = byte === lineFeed ? carriageReturn : lineFeed;
      this.isAfterReturn = byte === carriageReturn;
      if (!this.isAfterReturn) out[length++] = byte;
    }
    return out.subarray(0, length);
  }
}
