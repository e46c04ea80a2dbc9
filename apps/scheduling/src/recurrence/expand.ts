import { rruleText, type RecurrenceRule } from '@postroom/contracts';
import { RRuleTemporal } from 'rrule-temporal';
import { momentOf, wallClock } from './wall-clock.js';

/** Something that repeats, from its first start on. */
export interface Series {
  readonly rule: RecurrenceRule;
  readonly startMs: number;
}

/** A zone's clocks are never further from UTC than a day; an end is looked for that much later. */
const slackMs = 2 * 86_400_000;

/** Far beyond all that calendars are asked for. */
const horizonMs = Date.UTC(2500, 0, 1);

/**
 * The rule over wall time, as if it were UTC: a series that is at 09:00 stays at 09:00 when clocks change.
 * The library's caps bound what a rule costs that never matches.
 */
function overWallTime({ rule, startMs }: Series, untilWallMs: number | null): RRuleTemporal {
  const text = rruleText({
    ...rule,
    untilMs: null,
    count: untilWallMs === null ? rule.count : null,
  });
  const until = untilWallMs === null ? '' : `;UNTIL=${stamp(untilWallMs)}`;
  const start = stamp(wallClock(startMs, rule.timeZone));
  return new RRuleTemporal({
    rruleString: `DTSTART:${start}\nRRULE:${text}${until}`,
    includeDtstart: true,
    cache: false,
  });
}

const stamp = (ms: number): string =>
  new Date(Math.floor(ms / 1000) * 1000).toISOString().replaceAll(/[-:]/g, '').replace('.000', '');

/** Milliseconds of the start within its second, which RRULE cannot say. */
const fraction = (ms: number): number => ms % 1000;

/** What a library throws for a rule that its caps end: it has no (further) occurrence that anybody waits for. */
function capped<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof Error && /iteration|candidate/i.test(error.message)) return otherwise;
    throw error;
  }
}

interface Wall {
  readonly epochMilliseconds: number;
}

/**
 * The starts of a series that lie in a window, in order, at most `max` of them.
 * @param lastMs the last start, where it is known: with it a window far away costs no more than a near one
 */
export function startsBetween(
  series: Series,
  { fromMs, toMs, max }: { fromMs: number; toMs: number; max: number },
  lastMs: number | null = null,
): readonly number[] {
  const { rule, startMs } = series;
  const end = Math.min(rule.untilMs ?? Infinity, lastMs ?? Infinity);
  const window = { fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, end) };
  const isCounted = rule.count !== null && lastMs === null;
  const untilWallMs =
    isCounted || end === Infinity ? null : wallClock(end, rule.timeZone) + slackMs;
  const excepted = new Set(rule.exceptMs);
  const starts: number[] = [];
  for (const ms of startsIn(series, overWallTime(series, untilWallMs), window)) {
    if (!excepted.has(ms)) starts.push(ms);
    if (starts.length >= max) break;
  }
  return starts;
}

/** The starts in a window by the rule alone, in order. */
function* startsIn(
  series: Series,
  expanded: RRuleTemporal,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Generator<number> {
  let chunkMs = fromMs - slackMs;
  for (let chunk = 0; chunk < chunksMax && chunkMs <= toMs + slackMs; chunk++) {
    const untilMs = Math.min(chunkMs + chunkLengthMs, toMs + slackMs);
    const [after, before] = [new Date(chunkMs), new Date(untilMs)];
    for (const wall of capped(() => expanded.between(after, before, true) as Wall[], [])) {
      const ms = momentFrom(series, wall.epochMilliseconds);
      if (ms >= fromMs && ms <= toMs) yield ms;
    }
    chunkMs = untilMs + 1;
  }
}

/** Occurrences are looked for in parts of a window, so that a long one costs no more than what it shows. */
const chunkLengthMs = 4 * 366 * 86_400_000;
const chunksMax = 25;

/** The first start is the one that was given, which may be the second of a time that exists twice. */
function momentFrom({ rule, startMs }: Series, wallMs: number): number {
  const startWall = wallClock(startMs, rule.timeZone);
  if (Math.floor(startWall / 1000) * 1000 === wallMs) return startMs;
  return momentOf(wallMs, rule.timeZone) + fraction(startMs);
}

/** The last start of a series; null for one without an end. */
export function lastStartOf(series: Series): number | null {
  const { rule, startMs } = series;
  if (rule.count === null && rule.untilMs === null) return null;
  const until = rule.untilMs === null ? null : wallClock(rule.untilMs, rule.timeZone) + slackMs;
  const expanded = overWallTime(series, until);
  const last = (wallMs: number | null): number | null => {
    for (let before = wallMs; ;) {
      const found = capped(
        () => expanded.previous(new Date(before ?? horizonMs), before === null) as Wall | null,
        null,
      );
      if (!found) return null;
      const ms = momentFrom(series, found.epochMilliseconds);
      if (rule.untilMs === null || ms <= rule.untilMs) return ms;
      before = found.epochMilliseconds;
    }
  };
  return Math.max(last(null) ?? startMs, startMs);
}

/** The first start after a moment; null when there is none. */
export function nextStartAfter(series: Series, afterMs: number): number | null {
  const { rule } = series;
  const end = rule.untilMs ?? Infinity;
  const expanded = overWallTime(
    series,
    end === Infinity ? null : wallClock(end, rule.timeZone) + slackMs,
  );
  const excepted = new Set(rule.exceptMs);
  for (let wallMs = afterMs - slackMs; ;) {
    const at = wallMs;
    const found = capped(() => expanded.next(new Date(at), false) as Wall | null, null);
    if (!found) return null;
    const ms = momentFrom(series, found.epochMilliseconds);
    if (ms > end) return null;
    if (ms > afterMs && !excepted.has(ms)) return ms;
    wallMs = found.epochMilliseconds;
  }
}
