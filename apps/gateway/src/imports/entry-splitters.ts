/** A card or row as it came; null for one that was too large, or cut short. */
export type SplitEntry = Buffer | null;

/** Finds the entries in a body as it arrives. */
export interface EntrySplitter {
  push(chunk: Buffer): SplitEntry[];
  end(): SplitEntry[];
}

/** The bytes of one entry, of which nothing is kept once they are too many. */
class EntryBytes {
  private pieces: Buffer[] = [];
  bytes = 0;

  constructor(private readonly bytesMax: number) {}

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else this.pieces.push(piece);
  }

  take(): SplitEntry {
    const entry = this.bytes > this.bytesMax ? null : Buffer.concat(this.pieces);
    this.pieces = [];
    this.bytes = 0;
    return entry;
  }
}

/** Cuts a body into its lines, each with its end; of a line that is too long the parts that came. */
class Lines {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly bytesMax: number) {}

  *of(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, at)) {
      yield Buffer.concat([this.rest, chunk.subarray(at, end + 1)]);
      this.rest = Buffer.alloc(0);
      at = end + 1;
    }
    this.rest = Buffer.concat([this.rest, chunk.subarray(at)]);
    // Within a line, nothing is looked for that its beginning does not show.
    if (this.rest.length > this.bytesMax) yield* this.end();
  }

  *end(): Generator<Buffer> {
    if (this.rest.length > 0) yield this.rest;
    this.rest = Buffer.alloc(0);
  }
}

const lineBytesMax = 64 * 1024;
const begins = /^\s*BEGIN:VCARD\s*$/i;
const ends = /^\s*END:VCARD\s*$/i;

/** Finds vCards by their BEGIN and END; what stands between two cards is left out. */
export class VcardSplitter implements EntrySplitter {
  private readonly lines = new Lines(lineBytesMax);
  private readonly card: EntryBytes;
  private depth = 0;
  private isFirst = true;

  constructor(bytesMax: number) {
    this.card = new EntryBytes(bytesMax);
  }

  push(chunk: Buffer): SplitEntry[] {
    return [...this.lines.of(chunk)].flatMap((line) => this.take(line));
  }

  end(): SplitEntry[] {
    const last = [...this.lines.end()].flatMap((line) => this.take(line));
    return this.depth > 0 ? [...last, null] : last;
  }

  private take(line: Buffer): SplitEntry[] {
    const text = line.length > 100 ? '' : this.textOf(line);
    this.isFirst = false;
    // A card that begins within another (AGENT of vCard 2.1) is a part of it.
    if (begins.test(text)) this.depth++;
    if (this.depth === 0) return [];
    this.card.add(line);
    if (!ends.test(text) || --this.depth > 0) return [];
    return [this.card.take()];
  }

  /** A byte order mark is no part of the first line. */
  private textOf(line: Buffer): string {
    const text = line.toString('utf8');
    return this.isFirst ? text.replace(/^\ufeff/, '') : text;
  }
}

const quote = 0x22;

/** Cuts a table into its rows: a line end within quotes is a part of its row (RFC 4180 §2.6). */
export class CsvSplitter implements EntrySplitter {
  private readonly row: EntryBytes;
  private isQuoted = false;

  constructor(bytesMax: number) {
    this.row = new EntryBytes(bytesMax);
  }

  push(chunk: Buffer): SplitEntry[] {
    const rows: SplitEntry[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === quote) this.isQuoted = !this.isQuoted;
      else if (chunk[at] === 0x0a && !this.isQuoted) {
        this.row.add(chunk.subarray(from, at + 1));
        rows.push(this.row.take());
        from = at + 1;
      }
    }
    this.row.add(chunk.subarray(from));
    return rows.filter(isFilled);
  }

  end(): SplitEntry[] {
    if (this.row.bytes === 0) return [];
    // A quote that is never closed: the file was cut, or its quotes are not those of a table.
    return [this.isQuoted ? null : this.row.take()].filter(isFilled);
  }
}

/** Whether a row is not a blank line. */
const isFilled = (row: SplitEntry): boolean => row === null || row.some((byte) => byte > 0x20);
