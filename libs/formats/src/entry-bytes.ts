/** A part of a file: a card, an event or a row. */
export interface SplitEntry {
  /** Its number in the file, from 1; the header of a table is 0. */
  readonly place: number;
  /** Null for one that was too large, or cut short. */
  readonly bytes: Buffer | null;
}

/** Finds the entries in a body as it arrives. */
export interface EntrySplitter {
  /** The part of a calendar that is about time zones, so far; a file of something else has none. */
  readonly zones?: Buffer;
  /** True while bytes are to be read again: `push`, or `end` at the end, goes on with some of them. */
  readonly isBehind?: boolean;
  push(chunk: Buffer): SplitEntry[];
  end(): SplitEntry[];
}

/** The bytes of one entry, of which nothing is kept once they are too many. */
export class EntryBytes {
  private pieces: Buffer[] = [];
  bytes = 0;

  constructor(private readonly bytesMax: number) {}

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else this.pieces.push(piece);
  }

  take(): Buffer | null {
    const entry = this.bytes > this.bytesMax ? null : joined(this.pieces);
    this.drop();
    return entry;
  }

  drop(): void {
    this.pieces = [];
    this.bytes = 0;
  }
}

/** Copies nothing where there is nothing to join: a body may have millions of lines. */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [first, ...more] = pieces.filter(({ length }) => length > 0);
  return first && more.length === 0 ? first : Buffer.concat(pieces);
}

/** Cuts a body into its lines, each with its end; of a line that is too long the parts that came. */
export class Lines {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly bytesMax: number) {}

  *of(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, at)) {
      yield joined([this.rest, chunk.subarray(at, end + 1)]);
      this.rest = Buffer.alloc(0);
      at = end + 1;
    }
    this.rest = joined([this.rest, chunk.subarray(at)]);
    // Within a line, nothing is looked for that its beginning does not show.
    if (this.rest.length > this.bytesMax) yield* this.end();
  }

  *end(): Generator<Buffer> {
    if (this.rest.length > 0) yield this.rest;
    this.rest = Buffer.alloc(0);
  }
}
