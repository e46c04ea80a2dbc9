import {
  eventTimeZone,
  Problem,
  readRecurrence,
  timeFaults,
  type Attendee,
  type Creator,
  type EventChanges,
  type EventOverride,
  type EventStatus,
  type Organizer,
  type RecurrenceRule,
  type Reminder,
} from '@postroom/contracts';
import { lastStartOf } from '../recurrence/index.js';

/** What an event says, as it is kept. */
export interface EventRecord {
  readonly title: string;
  readonly description: string;
  readonly location: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly timeZone: string;
  readonly allDay: boolean;
  readonly status: EventStatus;
  readonly busy: boolean;
  readonly organizer: Organizer | null;
  readonly attendees: readonly Attendee[];
  readonly recurrence: RecurrenceRule | null;
  readonly overrides: readonly EventOverride[];
  readonly reminders: readonly Reminder[];
  readonly conferenceLink: string | null;
  readonly threadId: string | null;
}

/** An event as it is stored. */
export interface StoredEvent extends EventRecord {
  readonly id: string;
  readonly calendarId: string;
  readonly uid: string;
  readonly createdBy: Creator;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
  /** Number of its last event on the bus. */
  readonly sequence: number;
}

/** An event that says nothing yet. */
export const emptyEvent: EventRecord = {
  ...{ title: '', description: '', location: '', startMs: 0, endMs: 0, timeZone: eventTimeZone },
  ...{ allDay: false, status: 'confirmed', busy: true, organizer: null, attendees: [] },
  ...{ recurrence: null, overrides: [], reminders: [], conferenceLink: null, threadId: null },
};

/** Undefined keeps the value, null clears it. */
const merged = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

const organizerOf = ({ email, name }: { email: string; name?: string | null }): Organizer => ({
  email,
  name: name ?? null,
});

/**
 * A record with what is given of it.
 * @throws Problem INVALID_REQUEST where it is unsound together with what was there
 */
export function withGiven(before: EventRecord, given: EventChanges): EventRecord {
  const timeZone = merged(given.timeZone, before.timeZone, eventTimeZone);
  const record: EventRecord = {
    title: given.title?.trim() ?? before.title,
    description: merged(given.description, before.description, ''),
    location: merged(given.location, before.location, ''),
    startMs: given.startMs ?? before.startMs,
    endMs: given.endMs ?? before.endMs,
    timeZone,
    allDay: given.allDay ?? before.allDay,
    status: given.status ?? before.status,
    busy: given.busy ?? before.busy,
    organizer: given.organizer
      ? organizerOf(given.organizer)
      : merged(given.organizer, before.organizer, null),
    attendees: attendeesOf(given, before),
    recurrence: ruleOf(given, before.recurrence, timeZone),
    overrides: before.overrides,
    reminders: merged(given.reminders, [...before.reminders], []),
    conferenceLink: merged(given.conferenceLink, before.conferenceLink, null),
    threadId: merged(given.threadId, before.threadId, null),
  };
  requireTimes(record);
  return record;
}

/** @throws Problem INVALID_REQUEST */
export function requireTimes({ startMs, endMs }: Pick<EventRecord, 'startMs' | 'endMs'>): void {
  const violations = timeFaults(startMs, endMs);
  if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
}

/** Each address once: the first says what counts. */
function attendeesOf({ attendees }: EventChanges, before: EventRecord): readonly Attendee[] {
  if (attendees === undefined) return before.attendees;
  const once = new Map<string, Attendee>();
  for (const { role, status, ...person } of attendees ?? []) {
    if (!once.has(person.email)) once.set(person.email, { ...organizerOf(person), role, status });
  }
  return [...once.values()];
}

function ruleOf(
  { recurrence }: EventChanges,
  before: RecurrenceRule | null,
  timeZone: string,
): RecurrenceRule | null {
  if (recurrence === undefined) return before;
  if (recurrence === null) return null;
  const { rule, faults } = readRecurrence(recurrence, 'recurrence', timeZone);
  if (faults) throw new Problem('INVALID_REQUEST', { violations: faults });
  return rule;
}

/** The end of what never ends, as an index keeps it. */
export const endlessMs = 253_402_300_799_999;

/** The first and the last moment of all its occurrences. */
export function spanOf(record: EventRecord): { readonly firstMs: number; readonly lastMs: number } {
  const { startMs, endMs, recurrence, overrides } = record;
  const last = recurrence ? lastStartOf({ rule: recurrence, startMs }) : startMs;
  return {
    firstMs: Math.min(startMs, ...overrides.map((one) => one.startMs ?? startMs)),
    lastMs:
      last === null
        ? endlessMs
        : Math.max(last + (endMs - startMs), ...overrides.map((one) => one.endMs ?? endMs)),
  };
}
