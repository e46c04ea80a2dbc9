import { EntryBytes, type EntrySplitter, type SplitEntry } from './entry-bytes.js';

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];

/** Delimiters that exporters write. */
const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter of a table: the one that its header has most often. */
export function delimiterOf(header: string): string {
  const count = (of: string): number => header.split(of).length;
  return delimiters.reduce<string>(
    (best, one) => (count(one) > count(best) ? one : best),
    delimiters[0],
  );
}

/** Excel is told the delimiter in a line before the header. */
const excelLine = /^\ufeff?"?sep=(.)"?\s*$/i;

/** Bytes of a file that are looked at again, after a quote that is never closed. */
const againBytesMax = 16 * 1024 * 1024;
/** Bytes that are read in one call: what is read again takes turns like what comes. */
const bytesAtOnce = 64 * 1024;

/**
 * Cuts a table into its rows. A quote opens at the beginning of a cell alone, and closes before a delimiter or a line
 * end; a line end within quotes is a part of its row (RFC 4180 §2.6). Where a cell of several lines has another
 * quote, or none that closes, it was no quoted cell: its first line is a bad row, and the others are read again.
 */
export class CsvSplitter implements EntrySplitter {
  private readonly row: EntryBytes;
  /** The bytes of the row, as long as it may have to be read again. */
  private pieces: Buffer[] = [];
  private place = -1;
  private delimiter: number | null = null;
  private isQuoted = false;
  private isCellStart = true;
  private isAfterQuote = false;
  private isOdd = false;
  private rowBytes = 0;
  private firstLineBytes = 0;
  private againLeft = againBytesMax;
  /** Bytes that are yet to be read; those that are read again stand in front of what follows. */
  private waiting: Buffer[] = [];
  private isEnding = false;

  constructor(private readonly bytesMax: number) {
    this.row = new EntryBytes(bytesMax);
  }

  get isBehind(): boolean {
    return this.waiting.length > 0 || (this.isEnding && this.rowBytes > 0);
  }

  push(chunk: Buffer): SplitEntry[] {
    const rows: SplitEntry[] = [];
    if (chunk.length > 0) this.waiting.push(chunk);
    for (let left = bytesAtOnce; left > 0;) {
      const next = this.waiting.shift();
      if (!next) break;
      const piece = next.subarray(0, left);
      left -= piece.length;
      const rest = [...(this.read(piece, rows) ?? []), next.subarray(piece.length)];
      this.waiting.unshift(...rest.filter(({ length }) => length > 0));
    }
    return rows;
  }

  end(): SplitEntry[] {
    this.isEnding = true;
    const rows = this.push(Buffer.alloc(0));
    const again = this.waiting.length > 0 ? null : this.closed(rows);
    if (again) this.waiting.push(again);
    return rows;
  }

  /** Ends the last row; answers what is to be read again. */
  private closed(rows: SplitEntry[]): Buffer | null {
    if (this.rowBytes === 0) return null;
    const isOpen = this.isQuoted && !this.isAfterQuote;
    const again = isOpen || this.isOdd ? this.again(rows) : null;
    if (!again) this.take(rows, isOpen);
    return again;
  }

  /** Reads a piece up to where it has to be read again; answers that, with what follows. */
  private read(chunk: Buffer, rows: SplitEntry[]): readonly Buffer[] | null {
    let from = 0;
    for (const [at, byte] of chunk.entries()) {
      const bytes = this.rowBytes + at + 1 - from;
      const isEnd = this.step(byte, bytes);
      const isLong = this.isLong(bytes);
      if (!isEnd && !isLong) continue;
      this.keep(chunk.subarray(from, at + 1));
      from = at + 1;
      const again = isLong || this.isOdd ? this.again(rows) : null;
      if (again) return [again, chunk.subarray(from)];
      if (isEnd) this.take(rows, false);
    }
    this.keep(chunk.subarray(from));
    return null;
  }

  /** True for a quoted cell of several lines that is larger than a row may be. */
  private isLong(bytes: number): boolean {
    return bytes > this.bytesMax && this.isQuoted && this.firstLineBytes > 0 && this.againLeft > 0;
  }

  /** True if a row ends with this byte. @param bytes of the row with it */
  private step(byte: number, bytes: number): boolean {
    const isDelimiter = this.delimiter === null ? isAnyDelimiter(byte) : byte === this.delimiter;
    const ends = isDelimiter || byte === lineFeed;
    if (this.isQuoted) this.stepQuoted(byte, ends);
    else this.isQuoted = byte === quote && this.isCellStart;
    const isLineEnd = byte === lineFeed;
    if (this.isQuoted && isLineEnd && this.firstLineBytes === 0) this.firstLineBytes = bytes;
    this.isCellStart = !this.isQuoted && ends;
    return isLineEnd && !this.isQuoted;
  }

  /** @param ends whether the byte ends a cell that is not quoted */
  private stepQuoted(byte: number, ends: boolean): void {
    if (byte === quote) this.isAfterQuote = !this.isAfterQuote;
    else if (this.isAfterQuote && byte !== carriageReturn) {
      this.isAfterQuote = false;
      this.isQuoted = !ends;
      if (!ends) this.isOdd = this.firstLineBytes > 0;
    }
  }

  private keep(piece: Buffer): void {
    this.rowBytes += piece.length;
    this.row.add(piece);
    if (this.rowBytes <= 2 * this.bytesMax) this.pieces.push(piece);
  }

  /** Makes the first line of the row a bad one; answers the lines behind it, or null where it has one alone. */
  private again(rows: SplitEntry[]): Buffer | null {
    const { firstLineBytes } = this;
    const rest = Buffer.concat(this.pieces).subarray(firstLineBytes);
    if (firstLineBytes === 0) return null;
    this.againLeft -= rest.length;
    if (this.againLeft <= 0) return null;
    this.take(rows, true);
    return rest;
  }

  private take(rows: SplitEntry[], isBad: boolean): void {
    const taken = this.row.take();
    const bytes = isBad ? null : taken;
    [this.pieces, this.rowBytes, this.firstLineBytes] = [[], 0, 0];
    [this.isQuoted, this.isAfterQuote, this.isOdd, this.isCellStart] = [false, false, false, true];
    if (bytes && !bytes.some((byte) => byte > 0x20)) return;
    if (this.place < 0 && bytes && this.isOfHeader(bytes.toString())) return;
    rows.push({ place: ++this.place, bytes });
  }

  /** Learns the delimiter from the first row; true for one that is for Excel alone. */
  private isOfHeader(text: string): boolean {
    const said = excelLine.exec(text)?.[1];
    this.delimiter ??= (said ?? delimiterOf(text)).charCodeAt(0);
    return said !== undefined;
  }
}

const isAnyDelimiter = (byte: number): boolean =>
  delimiters.some((one) => one.charCodeAt(0) === byte);
