import { isDeepStrictEqual } from 'node:util';
import { actorOf } from '@postroom/access';
import {
  eventImportSteps,
  Problem,
  type EntryCounts,
  type EventChanges,
  type TakeEvents,
} from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { holdCalendar } from '../stored-calendars.js';
import {
  addEvent,
  answeredEnd,
  emptyEvent,
  endQuestion,
  lockEventByUid,
  occurrenceQuestion,
  requireOccurrence,
  rewriteEvent,
  withGiven,
  withOverride,
  type EventRecord,
  type SpannedRecord,
  type StoredEvent,
} from '../events/index.js';
import { memberBehind } from '../me.js';
import type { AskedSeries, SeriesQuestion } from '../recurrence/index.js';
import { FileZones, Unreadable } from '../icalendar/index.js';
import { readEvent, type ReadEvent } from './read-event.js';

type Importing = Writing<typeof eventImportSteps.take>;

/** Imports into one calendar take turns: each sees which events the other has made. */
const takeTurns = statement<object>(
  'events.take_turns',
  `SELECT pg_advisory_xact_lock(hashtextextended('import ' || $1 || ' ' || $2, 0))`,
);

/** A read entry: an event, a change of one of its occurrences, or the reason why it is neither. */
type Entry =
  | { readonly uid: string; readonly record: EventRecord }
  | (ReadEvent & { readonly occurrenceMs: number })
  | { readonly reason: string };

/** Reads entries, as creation reads what it is given. */
export function readEntries({ entries, zones: defined }: TakeEvents): readonly Entry[] {
  const zones = FileZones.in(Buffer.from(defined, 'base64').toString('utf8'));
  return entries.map((entry) => {
    try {
      const { occurrenceMs, ...read } = readEvent(bytesOf(entry), zones);
      if (occurrenceMs !== null) return { ...read, occurrenceMs };
      return { uid: read.uid, record: withGiven(emptyEvent, read.given) };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  });
}

/** @throws Unreadable for what the gateway has left out */
function bytesOf(entry: string): Buffer {
  if (entry === '-') throw new Unreadable('larger than 256 KiB, or cut short');
  return Buffer.from(entry, 'base64');
}

/** Why an entry is none: what it says, or what no event may be. @throws whatever else went wrong */
function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (!(error instanceof Problem) || error.violations.length === 0) throw error;
  if (error.code === 'QUOTA_EXCEEDED') throw error;
  return error.violations.map(({ field, message }) => `${field}: ${message.en}`).join('; ');
}

/** The target of the entries of a step. */
interface Storing {
  readonly calendarId: string;
  /** Entries of the import before these. */
  readonly first: number;
  readonly asked: AskedSeries;
  /** Quota of events of the workspace. */
  readonly limit: number;
}

/**
 * Stores the next entries of an import: as creation does, each with its event on the bus.
 * @throws Problem QUOTA_EXCEEDED
 */
export async function importEvents(
  context: Importing,
  entries: readonly Entry[],
  storing: Storing,
): Promise<EntryCounts> {
  const { calendarId, first, asked } = storing;
  context.subject(calendarId);
  await holdCalendar(context, memberBehind(context.caller), calendarId);
  await context.rows(takeTurns, [calendarId]);
  // All at once: with each answer that is not there yet the transaction begins again.
  asked.require(entries.flatMap((entry) => ('record' in entry && endQuestion(entry.record)) || []));
  asked.require(await occurrenceQuestions(context, entries, storing));
  const counts: EntryCounts = { created: 0, updated: 0, unreadable: [] };
  for (const [i, entry] of entries.entries()) {
    try {
      if ('reason' in entry) throw new Unreadable(entry.reason);
      counts[await store(context, entry, storing)]++;
    } catch (error) {
      counts.unreadable.push({ entry: first + i + 1, reason: reasonOf(error).slice(0, 200) });
    }
  }
  return counts;
}

/** The questions that storing changed occurrences will raise, about earlier entries or stored series. */
async function occurrenceQuestions(
  context: Importing,
  entries: readonly Entry[],
  { calendarId, asked }: Storing,
): Promise<readonly SeriesQuestion[]> {
  const known = new Map<string, SpannedRecord | null>();
  const questions: SeriesQuestion[] = [];
  for (const entry of entries) {
    if ('reason' in entry || entry.uid === '') continue;
    const { uid } = entry;
    if ('record' in entry) {
      known.set(uid, { ...entry.record, lastStartMs: answeredEnd(entry.record, asked) });
      continue;
    }
    if (!known.has(uid)) known.set(uid, await lockEventByUid(context, calendarId, uid));
    const series = known.get(uid);
    if (series?.recurrence)
      questions.push(occurrenceQuestion(series.recurrence, series, entry.occurrenceMs));
  }
  return questions;
}

async function store(
  context: Importing,
  entry: Exclude<Entry, { readonly reason: string }>,
  { calendarId, asked, limit }: Storing,
): Promise<'created' | 'updated'> {
  const { uid } = entry;
  const known = uid === '' ? null : await lockEventByUid(context, calendarId, uid);
  if ('occurrenceMs' in entry) {
    if (!known) throw new Unreadable('an occurrence without its series before it');
    const { occurrenceMs, given } = entry;
    const series = requireOccurrence(known, occurrenceMs, asked);
    const changes = differencesOf(series, occurrenceMs, given);
    await rewriteEvent(context, known, withOverride(series, occurrenceMs, changes), asked);
    return 'updated';
  }
  const { record } = entry;
  if (known) {
    await rewriteEvent(context, known, { ...record, threadId: known.threadId }, asked);
    return 'updated';
  }
  const origin = { createdBy: actorOf(context.caller), uid, asked };
  await addEvent(context, calendarId, record, origin, limit);
  return 'created';
}

/** The fields in which an occurrence of a file differs from its series: a file repeats the rest. */
function differencesOf(
  series: StoredEvent,
  occurrenceMs: number,
  { startMs, endMs, ...given }: ReadEvent['given'],
): EventChanges {
  const said = Object.entries(given).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(series, name)),
  );
  const lasts = endMs - startMs === series.endMs - series.startMs;
  return {
    ...(Object.fromEntries(said) as EventChanges),
    ...(startMs === occurrenceMs && lasts ? {} : { startMs, endMs }),
  };
}
