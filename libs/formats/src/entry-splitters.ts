/** A card without its media, or a row as it came; null for one that was too large, or cut short. */
export type SplitEntry = Buffer | null;

/** Finds the entries in a body as it arrives. */
export interface EntrySplitter {
  /** Time zones that have been defined so far, one after the other; a file of something else has none. */
  readonly zones?: Buffer;
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
function joined(pieces: readonly Buffer[]): Buffer {
  const [first, ...more] = pieces.filter(({ length }) => length > 0);
  return first && more.length === 0 ? first : Buffer.concat(pieces);
}

/** Cuts a body into its lines, each with its end; of a line that is too long the parts that came. */
class Lines {
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

const lineBytesMax = 64 * 1024;
/** Properties of a card that no contact has, and that may be larger than all of the rest. */
const media = /^(?:[\w-]+\.)?(?:PHOTO|LOGO|SOUND|KEY)[;:]/i;
/** Longer than the name and group of such a property. */
const nameBytesMax = 100;
const [tab, lineFeed, space, colon] = [0x09, 0x0a, 0x20, 0x3a];

/** Finds the lines of such properties, with those that they go on in. */
class MediaLines {
  private isMedia = false;
  private isOpen = false;

  /** True if the next piece is of such a property: a line, or the next part of one. */
  has(piece: Buffer): boolean {
    const goesOn = this.isOpen || (this.isMedia && this.isMore(piece));
    if (!goesOn) this.isMedia = media.test(piece.toString('latin1', 0, nameBytesMax));
    this.isOpen = piece.at(-1) !== lineFeed;
    return this.isMedia;
  }

  /** Folded, or of base64 that was not: what is no property has no colon. */
  private isMore(line: Buffer): boolean {
    return line[0] === space || line[0] === tab || !line.includes(colon);
  }
}

/** The property before a card within another (AGENT of vCard 2.1). */
const agent = /^\s*AGENT\s*(?:;[^:]*)?:\s*$/i;

/** Finds cards or events by their BEGIN and END; what stands between two of them is left out. */
export class ComponentSplitter implements EntrySplitter {
  private readonly begins: RegExp;
  private readonly ends: RegExp;
  private readonly lines = new Lines(lineBytesMax);
  private readonly component: EntryBytes;
  /** Events have none that are large. */
  private readonly media: MediaLines | null;
  private depth = 0;
  private isFirst = true;
  private isAgent = false;

  constructor(name: 'VCARD' | 'VEVENT' | 'VTIMEZONE', bytesMax: number) {
    this.begins = new RegExp(`^\\s*BEGIN:${name}\\s*$`, 'i');
    this.ends = new RegExp(`^\\s*END:${name}\\s*$`, 'i');
    this.component = new EntryBytes(bytesMax);
    this.media = name === 'VCARD' ? new MediaLines() : null;
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
    const cut = this.begins.test(text) ? this.begin() : [];
    this.isAgent = agent.test(text);
    if (this.depth === 0) return [];
    if (!this.media?.has(line)) this.component.add(line);
    if (!this.ends.test(text) || --this.depth > 0) return cut;
    return [this.component.take()];
  }

  /** Begins a card: within the one that is open, or else in place of it, which has no end. */
  private begin(): SplitEntry[] {
    const isCut = this.depth > 0 && !this.isAgent;
    this.depth = isCut ? 1 : this.depth + 1;
    if (!isCut) return [];
    this.component.drop();
    return [null];
  }

  /** A byte order mark is no part of the first line. */
  private textOf(line: Buffer): string {
    const text = line.toString('utf8');
    return this.isFirst ? text.replace(/^\ufeff/, '') : text;
  }
}

/** Finds the events of a calendar file, and the time zones that it defines, each once. */
export class CalendarSplitter implements EntrySplitter {
  zones = Buffer.alloc(0);
  private readonly events: ComponentSplitter;
  private readonly definitions: ComponentSplitter;

  /** @param zonesBytesMax of all definitions; what goes beyond is left out, and its events are told of */
  constructor(
    bytesMax: number,
    private readonly zonesBytesMax: number,
  ) {
    this.events = new ComponentSplitter('VEVENT', bytesMax);
    this.definitions = new ComponentSplitter('VTIMEZONE', zonesBytesMax);
  }

  push(chunk: Buffer): SplitEntry[] {
    for (const zone of this.definitions.push(chunk)) if (zone) this.define(zone);
    return this.events.push(chunk);
  }

  end(): SplitEntry[] {
    return this.events.end();
  }

  private define(zone: Buffer): void {
    if (this.zones.length + zone.length > this.zonesBytesMax || this.zones.includes(zone)) return;
    this.zones = Buffer.concat([this.zones, zone]);
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

/** True if a row is not a blank line. */
const isFilled = (row: SplitEntry): boolean => row === null || row.some((byte) => byte > 0x20);
