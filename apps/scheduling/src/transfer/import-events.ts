import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { actorOf } from '@postroom/access';
import {
  eventImportSteps,
  utcStamp,
  type EntryCounts,
  type EventChanges,
} from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { holdCalendar } from '../stored-calendars.js';
import {
  addEvent,
  answeredEnd,
  emptyEvent,
  endQuestion,
  endsOf,
  lockEventByUid,
  occurrenceQuestion,
  requireOccurrence,
  rewriteEvent,
  withOverride,
  type EventRecord,
  type SpannedEvent,
} from '../events/index.js';
import { memberBehind } from '../me.js';
import { countFrom, type AskedSeries, type SeriesQuestion } from '../recurrence/index.js';
import { occurrenceNamed, Unreadable, type CalendarTime } from '../icalendar/index.js';
import { reasonOf, type Entry, type TakenEntry } from './read-entries.js';
import type { ReadEvent } from './read-event.js';

type Importing = Writing<typeof eventImportSteps.take>;

/** Imports into one calendar take turns: each sees which events the other has made. */
const takeTurns = statement<object>(
  'events.take_turns',
  `SELECT take_lock('import ' || $1 || ' ' || $2)`,
);

/** The target of the entries of a step. */
interface Storing {
  readonly calendarId: string;
  readonly asked: AskedSeries;
  /** Quota of events of the workspace. */
  readonly limit: number;
  readonly dryRun: boolean;
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
  const { calendarId, asked } = storing;
  context.subject(calendarId);
  await holdCalendar(context, memberBehind(context.caller), calendarId);
  await context.rows(takeTurns, [calendarId]);
  // All at once: with each answer that is not there yet the transaction begins again.
  const taken = entries.filter((entry) => 'record' in entry);
  asked.require(taken.flatMap(({ record }) => firstQuestion(record) ?? []));
  const whole = taken.map((entry) => ({ ...entry, record: since1970(entry.record, asked) }));
  asked.require(whole.flatMap(({ record }) => (record && endQuestion(record)) || []));
  const known = new KnownEvents(context, storing);
  asked.require(await known.questionsOf(whole));
  const counts: EntryCounts = { created: 0, updated: 0, unreadable: [], warnings: [] };
  const records = new Map(whole.map(({ place, record }) => [place, record]));
  for (const entry of entries) {
    const { place } = entry;
    try {
      if ('reason' in entry) throw new Unreadable(entry.reason);
      const record = records.get(place);
      if (!record) throw new Unreadable('a time before 1970');
      const { done, warnings } = await store(context, { ...entry, record }, storing, known);
      counts[done]++;
      if (warnings.length > 0)
        counts.warnings.push({ entry: place, reason: shortened(warnings.join('; ')) });
    } catch (error) {
      counts.unreadable.push({ entry: place, reason: shortened(reasonOf(error)) });
    }
  }
  return counts;
}

const shortened = (reason: string): string => Array.from(reason).slice(0, 200).join('');

/** The question when a series that begins before 1970 first takes place after; null for any other event. */
const firstQuestion = ({ startMs, recurrence }: EventRecord): SeriesQuestion | null =>
  startMs < 1 && recurrence ? { rule: recurrence, startMs, ask: 'next', afterMs: 0 } : null;

/** An event as it is from 1970 on, before which none is kept; null where it had ended. */
function since1970(record: EventRecord, asked: AskedSeries): EventRecord | null {
  const question = firstQuestion(record);
  if (!question || !record.recurrence) return record.startMs < 1 ? null : record;
  const startMs = asked.answerTo(question);
  if (startMs === null) return null;
  const { recurrence } = record;
  const count = countFrom({ rule: recurrence, startMs: record.startMs }, startMs, asked);
  return {
    ...record,
    ...{ startMs, endMs: endsOf(record)(startMs) },
    recurrence: { ...recurrence, count: count && Math.max(count, 1) },
  };
}

/** The series that changed occurrences may be of: stored ones, and those of earlier entries. */
class KnownEvents {
  private readonly stored = new Map<string, SpannedEvent | null>();

  constructor(
    private readonly context: Importing,
    private readonly storing: Storing,
  ) {}

  async find(uid: string): Promise<SpannedEvent | null> {
    if (uid === '') return null;
    const found = this.stored.get(uid);
    if (found !== undefined) return found;
    return this.keep(uid, await lockEventByUid(this.context, this.storing.calendarId, uid));
  }

  keep(uid: string, event: SpannedEvent | null): SpannedEvent | null {
    this.stored.set(uid, event);
    return event;
  }

  /** The questions that storing changed occurrences will raise. */
  async questionsOf(
    entries: readonly { uid: string; record: EventRecord | null; change: TakenEntry['change'] }[],
  ): Promise<readonly SeriesQuestion[]> {
    const { asked } = this.storing;
    const series = new Map<
      string,
      (Pick<SpannedEvent, 'startMs' | 'recurrence' | 'lastStartMs'> & EventRecord) | null
    >();
    const questions: SeriesQuestion[] = [];
    for (const { uid, record, change } of entries) {
      if (!change) {
        if (record) series.set(uid, { ...record, lastStartMs: answeredEnd(record, asked) });
        continue;
      }
      const of = series.get(uid) ?? (await this.find(uid));
      if (!of?.recurrence) continue;
      questions.push(occurrenceQuestion(of.recurrence, of, nameOf(change.of, of)));
    }
    return questions;
  }
}

const nameOf = (time: CalendarTime, { startMs, allDay, timeZone, recurrence }: EventRecord) =>
  occurrenceNamed(time, { startMs, allDay, timeZone: recurrence?.timeZone ?? timeZone });

/** The outcome of an entry; in a dry run what it would be. */
interface Stored {
  readonly done: 'created' | 'updated';
  readonly warnings: readonly string[];
}

async function store(
  context: Importing,
  entry: TakenEntry,
  storing: Storing,
  known: KnownEvents,
): Promise<Stored> {
  const { uid, record, warnings, change } = entry;
  const before = await known.find(uid);
  if (!change) {
    const whole = before ? { ...record, threadId: before.threadId } : record;
    return { done: await keep(context, { uid, before, record: whole }, storing, known), warnings };
  }
  const changed = before && changedBy(change, before, storing.asked);
  if (changed) {
    await keep(context, { uid, before, record: changed }, storing, known);
    return { done: 'updated', warnings };
  }
  // An occurrence without its series, as who is invited to one alone gets it.
  const own = ownUid(uid, change.of);
  const alone = {
    uid: own,
    before: await known.find(own),
    record: { ...record, recurrence: null },
  };
  const orphan = 'a changed occurrence of no series: kept as an event of its own';
  return { done: await keep(context, alone, storing, known), warnings: [...warnings, orphan] };
}

/** The identifier of an occurrence that is an event of its own. */
const ownUid = (uid: string, { ms }: CalendarTime): string =>
  uid === ''
    ? ''
    : `${createHash('sha256').update(uid).digest('hex').slice(0, 32)}-${utcStamp(ms)}`;

/** A series with one occurrence changed; null where it has no such occurrence. */
function changedBy(
  { of, given }: NonNullable<TakenEntry['change']>,
  before: SpannedEvent,
  asked: AskedSeries,
): Partial<EventRecord> | null {
  if (!before.recurrence) return null;
  const occurrenceMs = nameOf(of, before);
  // One that is moved may be excepted from the rule, too.
  const { recurrence } = before;
  const exceptMs = recurrence.exceptMs.filter((ms) => ms !== occurrenceMs);
  const there = { ...before, recurrence: { ...recurrence, exceptMs } };
  if (asked.answerTo(occurrenceQuestion(recurrence, before, occurrenceMs)) === null) return null;
  const series = requireOccurrence(there, occurrenceMs, asked);
  const changes = differencesOf(series, occurrenceMs, given);
  return { recurrence: series.recurrence, ...withOverride(series, occurrenceMs, changes) };
}

/** Stores an event, or in a dry run remembers it. */
async function keep(
  context: Importing,
  {
    uid,
    before,
    record,
  }: { uid: string; before: SpannedEvent | null; record: Partial<EventRecord> },
  { calendarId, asked, limit, dryRun }: Storing,
  known: KnownEvents,
): Promise<'created' | 'updated'> {
  const whole = { ...emptyEvent, ...before, ...record };
  if (dryRun) {
    const spanned = { ...whole, lastStartMs: answeredEnd(whole, asked) };
    known.keep(uid, spanned as SpannedEvent);
  } else if (before) {
    known.keep(uid, await rewriteEvent(context, before, record, asked));
  } else {
    const origin = { createdBy: actorOf(context.caller), uid, asked };
    known.keep(uid, await addEvent(context, calendarId, whole, origin, limit));
  }
  return before ? 'updated' : 'created';
}

/** The fields in which an occurrence of a file differs from its series: a file repeats the rest. */
function differencesOf(
  series: SpannedEvent,
  occurrenceMs: number,
  { startMs, endMs, timeZone, ...given }: ReadEvent['given'],
): EventChanges {
  // A time that is written in UTC says nothing of a zone.
  const isOfZone = given.allDay === true || timeZone !== 'UTC';
  const said = Object.entries({ ...given, ...(isOfZone && { timeZone }) }).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(series, name)),
  );
  const isSameKind = given.allDay === series.allDay;
  const lasts = endMs === endsOf(series)(startMs);
  return {
    ...(Object.fromEntries(said) as EventChanges),
    ...(startMs === occurrenceMs && lasts && isSameKind ? {} : { startMs, endMs }),
  };
}
