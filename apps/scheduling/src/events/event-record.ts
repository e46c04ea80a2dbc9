import { isDeepStrictEqual } from 'node:util';
import {
  eventLimits,
  eventTimeZone,
  invalidField,
  Problem,
  timeFaults,
  type Attendee,
  type Creator,
  type EventChanges,
  type EventOverride,
  type EventStatus,
  type EventVisibility,
  type Organizer,
  type RecurrenceRule,
  type Reminder,
} from '@postroom/contracts';
import {
  merged,
  mergedRule,
  mergedZone,
  withoutExceptions,
  type SeriesAnswers,
  type SeriesQuestion,
} from '../recurrence/index.js';
import { attendeesFrom, organizerOf } from './attendees.js';
import { endsOf, timesOf } from './override-times.js';

/** The content of an event, as it is stored. */
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
  readonly visibility: EventVisibility;
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

/** An empty event. */
export const emptyEvent: EventRecord = {
  ...{ title: '', description: '', location: '', startMs: 0, endMs: 0, timeZone: eventTimeZone },
  ...{ allDay: false, status: 'confirmed', busy: true, visibility: 'public' },
  ...{ organizer: null, attendees: [] },
  ...{ recurrence: null, overrides: [], reminders: [], conferenceLink: null, threadId: null },
};

/**
 * A record with what is given of it.
 * @throws Problem INVALID_REQUEST where it is unsound together with what was there
 */
export function withGiven(before: EventRecord, given: EventChanges): EventRecord {
  const timeZone = mergedZone(given.timeZone, before.timeZone, eventTimeZone);
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
    visibility: given.visibility ?? before.visibility,
    organizer: given.organizer
      ? organizerOf(given.organizer)
      : merged(given.organizer, before.organizer, null),
    attendees: attendeesOf(given, before),
    recurrence: mergedRule(given.recurrence, before, timeZone),
    overrides: before.overrides,
    reminders: merged(given.reminders, [...before.reminders], []),
    conferenceLink: merged(given.conferenceLink, before.conferenceLink, null),
    threadId: merged(given.threadId, before.threadId, null),
  };
  requireTimes(record);
  requireSize(record);
  return record;
}

/** The fields of its series that a changed occurrence repeats in a calendar file, unless it has its own. */
const repeated = [
  ...['title', 'description', 'location', 'organizer', 'attendees', 'conferenceLink'],
] as const;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Bounds an event in bytes: field by field its changed occurrences could be a thousand times as long.
 * @throws Problem INVALID_REQUEST
 */
export function requireSize(record: EventRecord): void {
  const bytes = bytesOf(record);
  const repeatedBytes = repeated.map((name) => {
    const repeating = record.overrides.filter((one) => Reflect.get(one, name) === undefined);
    return repeating.length * bytesOf(Reflect.get(record, name));
  });
  const fileBytes = repeatedBytes.reduce((sum, one) => sum + one, bytes);
  if (bytes <= eventLimits.bytes && fileBytes <= eventLimits.fileBytes) return;
  throw invalidField(
    'overrides',
    'l’événement est trop volumineux avec ses occurrences modifiées ; divisez la série',
    'the event is too large with its changed occurrences: split the series',
  );
}

/** @throws Problem INVALID_REQUEST */
export function requireTimes({ startMs, endMs }: Pick<EventRecord, 'startMs' | 'endMs'>): void {
  const violations = timeFaults(startMs, endMs);
  if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
}

const attendeesOf = ({ attendees }: EventChanges, before: EventRecord): readonly Attendee[] =>
  attendees === undefined ? before.attendees : attendeesFrom(attendees ?? []);

/** The end of what never ends, as an index keeps it. */
const endlessMs = 253_402_300_799_999;

/** When an event takes place, as far as a window needs to know before it looks for occurrences. */
export interface Span {
  /** The first and the last moment of all its occurrences. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Its last start by the rule; null for one without an end. */
  readonly lastStartMs: number | null;
}

/** The content of an event, with its last start. */
export type SpannedRecord = EventRecord & Pick<Span, 'lastStartMs'>;

/** The question when a series ends; null where the answer needs no expansion. */
export const endQuestion = ({ startMs, recurrence: rule }: EventRecord): SeriesQuestion | null =>
  rule && (rule.count !== null || rule.untilMs !== null)
    ? { ...withoutExceptions({ rule, startMs }), ask: 'last' }
    : null;

/**
 * The last start of an event by its rule; null for one without an end.
 * @param before the stored event: a series that repeats as before ends as before
 */
export function answeredEnd(
  record: EventRecord,
  asked: SeriesAnswers,
  before: SpannedRecord | null = null,
): number | null {
  const question = endQuestion(record);
  if (!question) return record.recurrence ? null : record.startMs;
  if (before && isDeepStrictEqual(question, endQuestion(before))) return before.lastStartMs;
  return asked.answerTo(question);
}

/** When an event takes place. */
export function spanOf(event: SpannedRecord): Span {
  const { startMs, recurrence, overrides, lastStartMs } = event;
  const endOf = endsOf(event);
  const times = overrides.map((one) => timesOf(one, endOf));
  const added = recurrence?.addedMs ?? [];
  return {
    firstMs: Math.min(startMs, ...added, ...times.map((one) => one.startMs)),
    lastMs:
      lastStartMs === null
        ? endlessMs
        : Math.max(...[lastStartMs, ...added].map(endOf), ...times.map((one) => one.endMs)),
    lastStartMs,
  };
}
