import { isDeepStrictEqual } from 'node:util';
import { momentOf, wallClock, type EventChanges, type RecurrenceRule } from '@postroom/contracts';
import { isSameSeries, saysDays, type AskedSeries } from '../recurrence/index.js';
import { answeredEnd, withGiven, type EventRecord } from './event-record.js';
import { occurrenceQuestion } from './series.js';

type Repeating = EventRecord & { readonly recurrence: RecurrenceRule };

/**
 * An event, or a part of a series, with what is given of it. Exceptions and changed occurrences name an occurrence
 * by its start by the rule (as RECURRENCE-ID does, RFC 5545 §3.8.4.4), so that a start, a zone or a rule that
 * changes renames them. Where the rule says on which days it is, and says the same as before, each stays on its
 * day, at the time of the new start. Otherwise the days follow the start, and each moves as far as that, by the
 * clocks of the zone. What names no occurrence then is dropped, and all of it where nothing repeats any more.
 * Exceptions that are given replace those that were there.
 */
export function changedSeries(
  from: EventRecord,
  given: EventChanges,
  asked: AskedSeries,
): EventRecord {
  const record = withGiven(from, given);
  const { recurrence } = record;
  if (!recurrence) return { ...record, overrides: [] };
  if (!from.recurrence) return record;
  const [before, after] = [
    { ...from, recurrence: from.recurrence },
    { ...record, recurrence },
  ];
  const named = isSameSeries(before, after) ? after : renamed(before, after, asked);
  const excepted = new Set(named.recurrence.exceptMs);
  return {
    ...named,
    overrides: named.overrides.filter((one) => !excepted.has(one.occurrenceStartMs)),
  };
}

function renamed(before: Repeating, after: Repeating, asked: AskedSeries): Repeating {
  const { recurrence, overrides } = after;
  // Those that an answer shows come back with the rule that is changed.
  const areGiven = !isDeepStrictEqual(recurrence.exceptMs, before.recurrence.exceptMs);
  const isAddedTo = !isDeepStrictEqual(recurrence.addedMs, before.recurrence.addedMs);
  const rename = renaming(before, after);
  const addedMs = isAddedTo ? recurrence.addedMs : recurrence.addedMs.map(rename);
  const moved = { ...after, recurrence: { ...recurrence, addedMs } };
  const exceptMs = areGiven ? [] : recurrence.exceptMs.map(rename);
  const changed = overrides.map((one) => ({
    ...one,
    occurrenceStartMs: rename(one.occurrenceStartMs),
  }));
  const names = [...exceptMs, ...changed.map((one) => one.occurrenceStartMs)];
  const known = occurrencesAmong(moved, [...new Set(names)], asked);
  const kept = [...new Set(exceptMs)].filter((ms) => known.has(ms)).sort((a, b) => a - b);
  const once = new Map(changed.map((one) => [one.occurrenceStartMs, one]));
  return {
    ...moved,
    recurrence: areGiven ? moved.recurrence : { ...moved.recurrence, exceptMs: kept },
    overrides: [...once.values()].filter((one) => known.has(one.occurrenceStartMs)),
  };
}

const dayMs = 86_400_000;
const dayOf = (wallMs: number): number => Math.floor(wallMs / dayMs) * dayMs;

/** The name that an occurrence has in the changed series, where it is one. */
function renaming(before: Repeating, after: Repeating): (ms: number) => number {
  const wallBefore = (ms: number): number => wallClock(ms, before.recurrence.timeZone);
  const { timeZone } = after.recurrence;
  const startWall = wallClock(after.startMs, timeZone);
  const byMs = startWall - wallBefore(before.startMs);
  const isByDays =
    saysDays(after.recurrence) &&
    isDeepStrictEqual(daysOf(before.recurrence), daysOf(after.recurrence));
  return (ms) => {
    const wallMs = wallBefore(ms);
    const movedMs = isByDays ? dayOf(wallMs) + startWall - dayOf(startWall) : wallMs + byMs;
    return momentOf(movedMs, timeZone);
  };
}

const daysOf = ({ byDay, byMonthDay, byMonth, bySetPos }: RecurrenceRule) => ({
  byDay,
  byMonthDay,
  byMonth,
  bySetPos,
});

/** The moments that are starts of a series by its rule. */
function occurrencesAmong(
  series: Repeating,
  moments: readonly number[],
  asked: AskedSeries,
): ReadonlySet<number> {
  if (moments.length === 0) return new Set();
  const { startMs, recurrence } = series;
  const spanned = { startMs, lastStartMs: answeredEnd(series, asked) };
  const questionOf = (ms: number) => occurrenceQuestion(recurrence, spanned, ms);
  // All at once: with each answer that is not there yet the transaction begins again.
  asked.require(moments.map(questionOf));
  return new Set(moments.filter((ms) => asked.answerTo(questionOf(ms)) !== null));
}
