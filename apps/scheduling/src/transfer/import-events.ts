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
import { holdCalendar } from '../calendar-access/index.js';
import {
  addEvent,
  emptyEvent,
  lockEventByUid,
  requireOccurrence,
  rewriteEvent,
  withGiven,
  withOverride,
  type StoredEvent,
} from '../events/index.js';
import { memberBehind } from '../me.js';
import { readEvent, type ReadEvent } from './read-event.js';
import { FileZones, Unreadable } from '../icalendar/index.js';

type Importing = Writing<typeof eventImportSteps.take>;

/** Imports into one calendar take turns: each sees which events the other has made. */
const takeTurns = statement<object>(
  'events.take_turns',
  `SELECT pg_advisory_xact_lock(hashtextextended('import ' || $1 || ' ' || $2, 0))`,
);

/**
 * Stores the next entries of an import: as creation does, each with its event on the bus.
 * @param limit how many events the workspace may have
 * @throws Problem QUOTA_EXCEEDED
 */
export async function importEvents(
  context: Importing,
  { calendarId, entries, first, zones: defined }: TakeEvents,
  limit: number,
): Promise<EntryCounts> {
  context.subject(calendarId);
  await holdCalendar(context, memberBehind(context.caller), calendarId);
  await context.rows(takeTurns, [calendarId]);
  const zones = FileZones.in(Buffer.from(defined, 'base64').toString('utf8'));
  const counts: EntryCounts = { created: 0, updated: 0, unreadable: [] };
  for (const [i, entry] of entries.entries()) {
    try {
      counts[await store(context, calendarId, readEvent(bytesOf(entry), zones), limit)]++;
    } catch (error) {
      counts.unreadable.push({ entry: first + i + 1, reason: reasonOf(error).slice(0, 200) });
    }
  }
  return counts;
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

async function store(
  context: Importing,
  calendarId: string,
  { uid, occurrenceMs, given }: ReadEvent,
  limit: number,
): Promise<'created' | 'updated'> {
  const known = uid === '' ? null : await lockEventByUid(context, calendarId, uid);
  if (occurrenceMs !== null) {
    if (!known) throw new Unreadable('an occurrence without its series before it');
    const series = requireOccurrence(known, occurrenceMs);
    const changes = differencesOf(series, occurrenceMs, given);
    await rewriteEvent(context, known, withOverride(series, occurrenceMs, changes));
    return 'updated';
  }
  const record = withGiven(emptyEvent, given);
  if (known) {
    await rewriteEvent(context, known, { ...record, threadId: known.threadId });
    return 'updated';
  }
  const origin = { createdBy: actorOf(context.caller), uid };
  await addEvent(context, calendarId, record, origin, limit);
  return 'created';
}

/** What a file says of an occurrence otherwise than its series: it repeats the rest. */
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
