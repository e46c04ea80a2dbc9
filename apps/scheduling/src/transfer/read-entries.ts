import { Problem, type TakeEvents } from '@postroom/contracts';
import { emptyEvent, withGiven, type EventRecord } from '../events/index.js';
import { FileZones, Unreadable, type CalendarTime } from '../icalendar/index.js';
import { readEvent, type ReadEvent } from './read-event.js';

/** An entry that was read: an event, or a change of one of its occurrences. */
export interface TakenEntry {
  readonly uid: string;
  readonly record: EventRecord;
  readonly warnings: readonly string[];
  /** The occurrence that it changes; null for an event. */
  readonly change: { readonly of: CalendarTime; readonly given: ReadEvent['given'] } | null;
}

/** An entry with its place in the file, or why it is none. */
export type Entry = { readonly place: number } & (TakenEntry | { readonly reason: string });

/** Reads entries, as creation reads what it is given. */
export function readEntries(input: TakeEvents): readonly Entry[] {
  const { entries, places, zones: defined, timeZone } = input;
  const zones = FileZones.in(Buffer.from(defined, 'base64').toString('utf8'), timeZone);
  return entries.map((entry, i) => {
    const place = places[i] ?? 0;
    try {
      const { uid, occurrence, given, warnings } = readEvent(bytesOf(entry), zones);
      const record = withGiven(emptyEvent, given);
      const change = occurrence && { of: occurrence, given };
      return { place, uid, record, warnings, change };
    } catch (error) {
      return { place, reason: reasonOf(error) };
    }
  });
}

/** @throws Unreadable for what the gateway has left out */
function bytesOf(entry: string): Buffer {
  if (entry === '-') throw new Unreadable('larger than 256 KiB, or cut short');
  return Buffer.from(entry, 'base64');
}

/** Why an entry is none: what it says, or what no event may be. @throws whatever else went wrong */
export function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (!(error instanceof Problem) || error.violations.length === 0) throw error;
  if (error.code === 'QUOTA_EXCEEDED') throw error;
  return error.violations.map(({ field, message }) => `${field}: ${message.en}`).join('; ');
}
