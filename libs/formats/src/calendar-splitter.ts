import { ComponentSplitter } from './component-splitter.js';
import type { EntrySplitter, SplitEntry } from './entry-bytes.js';

/** An event with the changes of its occurrences, as far as they have come. */
interface Group {
  readonly whole: SplitEntry[];
  readonly changes: SplitEntry[];
}

/** The zone of a calendar's times that name none. */
const calendarZone = /^X-WR-TIMEZONE[;:][^\r\n]{0,200}/im;

/**
 * Finds the events of a calendar file, and what it says of time zones. A change of one occurrence may stand before
 * its series, and a zone behind its events: so many bytes of a file are read before the first of it is handed out,
 * each event with its changes behind it. Of a longer file what follows is handed out as it comes.
 */
export class CalendarSplitter implements EntrySplitter {
  zones = Buffer.alloc(0);
  private readonly events: ComponentSplitter;
  private readonly definitions: ComponentSplitter;
  private groups = new Map<string, Group>();
  private bytes = 0;
  private head = '';

  /**
   * @param zonesBytesMax of all definitions; what goes beyond is left out, and its events are told of
   * @param heldBytesMax of a file that are read before it is handed out
   */
  constructor(
    bytesMax: number,
    private readonly zonesBytesMax: number,
    private readonly heldBytesMax: number,
  ) {
    this.events = new ComponentSplitter('VEVENT', bytesMax);
    this.definitions = new ComponentSplitter('VTIMEZONE', zonesBytesMax);
  }

  push(chunk: Buffer): SplitEntry[] {
    this.readHead(chunk);
    for (const { bytes } of this.definitions.push(chunk)) if (bytes) this.define(bytes);
    for (const entry of this.events.push(chunk)) this.hold(entry);
    return this.bytes > this.heldBytesMax ? this.handOut() : [];
  }

  end(): SplitEntry[] {
    for (const entry of this.events.end()) this.hold(entry);
    return this.handOut();
  }

  private hold(entry: SplitEntry): void {
    const { uid, isChange } = namesOf(entry);
    const group = this.groups.get(uid) ?? { whole: [], changes: [] };
    this.groups.set(uid, group);
    (isChange ? group.changes : group.whole).push(entry);
    this.bytes += (entry.bytes?.length ?? 0) + entryCost;
  }

  private handOut(): SplitEntry[] {
    const groups = [...this.groups.values()];
    this.groups = new Map();
    this.bytes = 0;
    return groups.flatMap(({ whole, changes }) => [...whole, ...changes]);
  }

  /** The properties of the calendar stand in front of its components. */
  private readHead(chunk: Buffer): void {
    if (this.head.length > headMax) return;
    this.head += chunk.toString('latin1', 0, headMax);
    const [line] = calendarZone.exec(this.head) ?? [];
    if (line === undefined) return;
    this.head = ' '.repeat(headMax + 1);
    this.define(Buffer.from(`${line}\r\n`));
  }

  private define(zone: Buffer): void {
    if (this.zones.length + zone.length > this.zonesBytesMax || this.zones.includes(zone)) return;
    this.zones = Buffer.concat([this.zones, zone]);
  }
}

const headMax = 16 * 1024;
/** Bytes that an entry takes beside its text. */
const entryCost = 500;

/** The UID of an event, and whether it is a change of one occurrence; a component within it has neither. */
function namesOf({ place, bytes }: SplitEntry): { uid: string; isChange: boolean } {
  const lines = (bytes?.toString('latin1') ?? '').replaceAll(/\r?\n[ \t]/g, '').split('\n');
  let depth = 0;
  const own = lines.filter((line) => {
    if (/^\s*BEGIN\s*:/i.test(line)) depth++;
    if (/^\s*END\s*:/i.test(line)) depth--;
    return depth === 1;
  });
  const uid = own.find((line) => /^UID[;:]/i.test(line)) ?? '';
  const isChange = own.some((line) => /^RECURRENCE-ID[;:]/i.test(line));
  return { uid: uid.slice(uid.indexOf(':') + 1).trim() || `\n${place}`, isChange };
}
