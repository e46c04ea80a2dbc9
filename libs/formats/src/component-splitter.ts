import { EntryBytes, Lines, type EntrySplitter, type SplitEntry } from './entry-bytes.js';

const lineBytesMax = 64 * 1024;
/** Files within cards and events, which may be larger than all of the rest. */
const media = /^(?:[\w-]+\.)?(PHOTO|LOGO|SOUND|KEY|ATTACH)[;:]/i;
/** Longer than the name and group of such a property. */
const nameBytesMax = 100;
/** Bytes of a property that count: no text that is kept is longer. */
const propertyBytesMax = 64 * 1024;
/** The same of a photo, in base64 and lines: what is cut here is larger than any that is kept. */
const photoBytesMax = 400 * 1024;
const [tab, lineFeed, space, colon] = [0x09, 0x0a, 0x20, 0x3a];

/** Leaves out of properties what no entry keeps: of files but photos all but the name, of the others what is too long. */
class KeptLines {
  private isMedia = false;
  private isLeftOut = false;
  private bytesMax = propertyBytesMax;
  private isOpen = false;
  private bytes = 0;

  /** The kept part of the next piece, which is a line, or the next part of one. */
  of(piece: Buffer): readonly Buffer[] {
    const goesOn = this.isOpen || this.isMore(piece);
    const wasOpen = this.isOpen;
    this.isOpen = piece.at(-1) !== lineFeed;
    if (goesOn) return this.more(piece, wasOpen);
    const [, name] = media.exec(piece.toString('latin1', 0, nameBytesMax)) ?? [];
    const isPhoto = name?.toUpperCase() === 'PHOTO';
    this.isMedia = name !== undefined;
    this.isLeftOut = this.isMedia && !isPhoto;
    this.bytesMax = isPhoto ? photoBytesMax : propertyBytesMax;
    this.bytes = piece.length;
    return [this.isLeftOut ? Buffer.from(`${name}:\r\n`) : piece];
  }

  private more(piece: Buffer, wasOpen: boolean): readonly Buffer[] {
    if (this.isLeftOut) return [];
    const before = this.bytes;
    this.bytes += piece.length;
    if (this.bytes <= this.bytesMax) return [piece];
    // The line that is cut has an end all the same.
    return before <= this.bytesMax && wasOpen ? [Buffer.from('\r\n')] : [];
  }

  /** Folded, or of base64 that was not: what is no property has no colon. */
  private isMore(line: Buffer): boolean {
    return line[0] === space || line[0] === tab || (this.isMedia && !line.includes(colon));
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
  private kept = new KeptLines();
  private place = 0;
  private depth = 0;
  private isFirst = true;
  private isAgent = false;

  constructor(name: 'VCARD' | 'VEVENT' | 'VTIMEZONE', bytesMax: number) {
    this.begins = new RegExp(`^\\s*BEGIN:${name}\\s*$`, 'i');
    this.ends = new RegExp(`^\\s*END:${name}\\s*$`, 'i');
    this.component = new EntryBytes(bytesMax);
  }

  push(chunk: Buffer): SplitEntry[] {
    return [...this.lines.of(chunk)].flatMap((line) => this.take(line));
  }

  end(): SplitEntry[] {
    const last = [...this.lines.end()].flatMap((line) => this.take(line));
    return this.depth > 0 ? [...last, this.entry(null)] : last;
  }

  private take(line: Buffer): SplitEntry[] {
    const text = line.length > 100 ? '' : this.textOf(line);
    this.isFirst = false;
    const cut = this.begins.test(text) ? this.beginComponent() : [];
    this.isAgent = agent.test(text);
    if (this.depth === 0) return [];
    for (const piece of this.kept.of(line)) this.component.add(piece);
    if (!this.ends.test(text) || --this.depth > 0) return cut;
    return [this.entry(this.component.take())];
  }

  /** Begins a card: within the one that is open, or else in place of it, which has no end. */
  private beginComponent(): SplitEntry[] {
    const isCut = this.depth > 0 && !this.isAgent;
    this.depth = isCut ? 1 : this.depth + 1;
    if (!isCut) return [];
    this.component.drop();
    return [this.entry(null)];
  }

  private entry(bytes: Buffer | null): SplitEntry {
    this.kept = new KeptLines();
    return { place: ++this.place, bytes };
  }

  /** A byte order mark is no part of the first line. */
  private textOf(line: Buffer): string {
    const text = line.toString('utf8');
    return this.isFirst ? text.replace(/^\ufeff/, '') : text;
  }
}
