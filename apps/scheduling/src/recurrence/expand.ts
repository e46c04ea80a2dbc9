import { momentOf, wallClock } from '@postroom/contracts/recurrence/wall-clock';
import {
  recurrenceLimits,
  rruleText,
  utcStamp,
  weekdays,
  type RecurrenceRule,
} from '@postroom/contracts/recurrence/rrule-text';
import { RRuleTemporal } from 'rrule-temporal';

/** Something that repeats, from its first start on. */
export interface Series {
  readonly rule: RecurrenceRule;
  readonly startMs: number;
}

/** A zone's clocks are never further from UTC than a day; an end is looked for that much later. */
const slackMs = 2 * 86_400_000;

/** Far beyond all that calendars are asked for. */
const horizonMs = Date.UTC(2500, 0, 1);

/** The last day that RRULE can say. */
const lastDayMs = Date.UTC(9999, 11, 31);

/**
 * The rule over wall time, as if it were UTC: a series that is at 09:00 stays at 09:00 when clocks change.
 * The library's caps bound what a rule costs that never matches.
 * @param endMs a moment after which nothing is looked for: it takes the place of the rule's own end
 */
function overWallTime({ rule, startMs }: Series, endMs: number | null): RRuleTemporal {
  const { count, timeZone } = rule;
  const end =
    endMs === null
      ? { count, untilMs: null }
      : { count: null, untilMs: Math.min(wallClock(endMs, timeZone) + slackMs, lastDayMs) };
  const startWall = wallClock(startMs, timeZone);
  const expanded = { ...explicitRule(rule, startWall), ...end };
  return new RRuleTemporal({
    rruleString: `DTSTART:${utcStamp(startWall)}\nRRULE:${rruleText(expanded)}`,
    includeDtstart: true,
    cache: false,
  });
}

/** Milliseconds of the start within its second, which RRULE cannot say. */
const fraction = (ms: number): number => ms % 1000;

/** Catches the library's error for a rule that its caps end: there is no further occurrence within reach. */
function capped<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof Error && /iteration|candidate|out-of-bounds/i.test(error.message))
      return otherwise;
    throw error;
  }
}

interface Wall {
  readonly epochMilliseconds: number;
}

/**
 * The starts of a series by its rule that lie in a window, in order, at most `max` of them.
 * @param lastMs its last start, where that is known: with it a window far away costs no more than a near one
 */
function startsByRule(
  series: Series,
  { fromMs, toMs, max }: { fromMs: number; toMs: number; max: number },
  lastMs: number | null = null,
): readonly number[] {
  const { rule, startMs } = series;
  // The start is always one, also of a rule that has ended before it.
  const endMs = lastMs ?? (rule.untilMs === null ? null : Math.max(rule.untilMs, startMs));
  const window = { fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, endMs ?? toMs) };
  if (!isInMonthsOf(series, window)) return [];
  const excepted = new Set(rule.exceptMs);
  const starts: number[] = [];
  for (const ms of startsIn(series, overWallTime(series, endMs), window)) {
    if (!excepted.has(ms)) starts.push(ms);
    if (starts.length >= max) break;
  }
  return starts;
}

/** The same with those that were added to the rule. @param lastMs the last start by the rule */
export function startsBetween(
  series: Series,
  window: { fromMs: number; toMs: number; max: number },
  lastMs: number | null = null,
): readonly number[] {
  const { addedMs, exceptMs } = series.rule;
  const starts = startsByRule(series, window, lastMs);
  const added = addedMs.filter((ms) => ms >= window.fromMs && ms <= window.toMs);
  if (added.length === 0) return starts;
  const excepted = new Set(exceptMs);
  const all = new Set([...starts, ...added.filter((ms) => !excepted.has(ms))]);
  return [...all].sort((a, b) => a - b).slice(0, window.max);
}

/**
 * False for a window that has neither the first start nor a day of the months that the rule names: of a calendar of
 * birthdays few are in the month that is shown, and the library takes as long for each of the others.
 */
function isInMonthsOf(
  { rule, startMs }: Series,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): boolean {
  const { byMonth } = explicitRule(rule, wallClock(startMs, rule.timeZone));
  const isLong = toMs - fromMs > 300 * 86_400_000;
  if (byMonth.length === 0 || fromMs === startMs || isLong) return true;
  const [first, last] = [monthNumber(fromMs - slackMs), monthNumber(toMs + slackMs)];
  return byMonth.some((month) => (month + 11 - (first % 12)) % 12 <= last - first);
}

/** The month of a moment, counted from January of the year 0, in UTC. */
function monthNumber(ms: number): number {
  const date = new Date(ms);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

/** The starts in a window by the rule alone, in order. */
function* startsIn(
  series: Series,
  expanded: RRuleTemporal,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Generator<number> {
  const lastMs = Math.min(toMs, fromMs + windowMsMax) + slackMs;
  let partMs = shortestPartMs;
  for (let at = fromMs - slackMs; at <= lastMs; partMs = Math.min(2 * partMs, longestPartMs)) {
    const [after, before] = [new Date(at), new Date(Math.min(at + partMs, lastMs))];
    for (const wall of capped(() => expanded.between(after, before, true) as Wall[], [])) {
      const ms = momentFrom(series, wall.epochMilliseconds);
      if (ms >= fromMs && ms <= toMs) yield ms;
    }
    at = before.getTime() + 1;
  }
}

/** Occurrences are looked for in parts of a window, so that a long one costs no more than what it shows. */
const shortestPartMs = 64 * 86_400_000;
/** The library counts its steps: a rule that it steps through by days stays within its cap. */
const longestPartMs = 4 * 366 * 86_400_000;
const windowMsMax = 25 * longestPartMs;

/** The first start is the one that was given, which may be the second of a time that exists twice. */
function momentFrom({ rule, startMs }: Series, wallMs: number): number {
  const startWall = wallClock(startMs, rule.timeZone);
  if (Math.floor(startWall / 1000) * 1000 === wallMs) return startMs;
  return momentOf(wallMs, rule.timeZone) + fraction(startMs);
}

/** The last occurrence of a counted rule, as far as the library looks: it gives up one that matches seldom. */
function lastOf(series: Series): number | null {
  const expanded = overWallTime(series, null);
  const all = isListed(series) ? capped(() => expanded.all() as Wall[], null) : null;
  const found = all?.findLast(({ epochMilliseconds }) => epochMilliseconds < horizonMs);
  if (found) return found.epochMilliseconds;
  let last: number | null = null;
  const isBefore = ({ epochMilliseconds }: Wall): boolean => {
    if (epochMilliseconds >= horizonMs) return false;
    last = epochMilliseconds;
    return true;
  };
  capped(() => expanded.all(isBefore), []);
  return last;
}

/** True if the library lists all occurrences faster than it iterates over them; yearly ones are iterated up to the horizon alone. */
const isListed = ({ rule: { freq, byMonth, byMonthDay } }: Series): boolean =>
  freq === 'monthly' || (freq !== 'yearly' && byMonth.length + byMonthDay.length === 0);

/** The last start of a series by its rule; null for one without an end. */
export function lastStartOf(series: Series): number | null {
  const { rule, startMs } = series;
  const { count, untilMs } = rule;
  if (count === null && untilMs === null) return null;
  if (count !== null) return Math.max(momentFrom(series, lastOf(series) ?? 0), startMs);
  const expanded = overWallTime(series, untilMs);
  const startBefore = (wallMs: number) =>
    capped(() => expanded.previous(new Date(wallMs), false) as Wall | null, null);
  for (let found = startBefore(horizonMs); found; found = startBefore(found.epochMilliseconds)) {
    const ms = momentFrom(series, found.epochMilliseconds);
    if (ms <= (untilMs ?? ms)) return Math.max(ms, startMs);
  }
  return startMs;
}

/** The first start after a moment, added ones too; null when there is none. */
export const nextStartAfter = (series: Series, afterMs: number): number | null =>
  startsBetween(series, { fromMs: afterMs + 1, toMs: Infinity, max: 1 })[0] ?? null;

/** Number of starts by the rule before a moment, exceptions included, since COUNT counts them. */
export const startsBefore = ({ rule, startMs }: Series, beforeMs: number): number =>
  startsByRule(
    { rule: { ...rule, exceptMs: [] }, startMs },
    { fromMs: startMs, toMs: beforeMs - 1, max: recurrenceLimits.count },
  ).length;

/**
 * The same rule as the library expands it soonest. What a rule leaves to its start (RFC 5545 §3.3.10) is said:
 * the library looks at each day for "each month on the day of the start". And a rule of every day or week that
 * names days of others is one of months: the library counts its steps, and gives up a day that is one in many.
 * @param startWall its start by the clocks of its zone, as if it were UTC
 */
function explicitRule(rule: RecurrenceRule, startWall: number): RecurrenceRule {
  const { freq, interval, bySetPos } = rule;
  const start = new Date(startWall);
  if (freq === 'yearly' || freq === 'monthly') return withDayOf(rule, start);
  if (interval > 1 || bySetPos.length > 0) return rule;
  return freq === 'weekly' ? everyWeek(rule, start) : everyDay(rule);
}

/** True if a rule names its days; otherwise they follow its start. */
export const saysDays = ({ byDay, byMonthDay }: RecurrenceRule): boolean =>
  byDay.length + byMonthDay.length > 0;

/** On the day of the start, where it names none; a year's in the month of the start. */
function withDayOf(rule: RecurrenceRule, start: Date): RecurrenceRule {
  if (saysDays(rule)) return rule;
  const isOfYear = rule.freq === 'yearly' && rule.byMonth.length === 0;
  const byMonth = isOfYear ? [start.getUTCMonth() + 1] : rule.byMonth;
  return { ...rule, byMonth, byMonthDay: [start.getUTCDate()] };
}

/** On the weekday of the start, where it names none. */
function everyWeek(rule: RecurrenceRule, start: Date): RecurrenceRule {
  if (rule.byMonth.length === 0) return rule;
  const ofStart = weekdays.filter((_, i) => i === (start.getUTCDay() + 6) % 7);
  return { ...rule, freq: 'monthly', byDay: rule.byDay.length > 0 ? rule.byDay : ofStart };
}

function everyDay(rule: RecurrenceRule): RecurrenceRule {
  if (!saysDays(rule) && rule.byMonth.length === 0) return rule;
  return { ...rule, freq: 'monthly', byDay: saysDays(rule) ? rule.byDay : weekdays };
}
