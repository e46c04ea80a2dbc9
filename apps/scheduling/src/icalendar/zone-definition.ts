import { momentBy, readRecurrence, type RecurrenceRule } from '@postroom/contracts';
import { lastStartOf, startsBetween, type Series } from '../recurrence/index.js';
import { ruleProperty } from './calendar-text.js';
import { ruleIn } from './event-parts.js';
import { allOf, oneOf, textIn, Unreadable, type Component } from './jcal.js';

/** A change of the clocks of a zone, and their offset from UTC before and after it. */
export interface Change {
  readonly atMs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** The clocks of a zone from a moment on. */
export interface Clocks {
  /** Before it nothing is said of them. */
  readonly fromMs: number;
  readonly offsetMs: number;
  /** In order. */
  readonly changes: readonly Change[];
}

/** A part of a definition: when its offset begins, by the clocks before it as if they were UTC. */
interface Observance {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly startMs: number;
  /** The rule of its further beginnings, and the last of them where it ends. */
  readonly series: (Series & { readonly lastMs: number | null }) | null;
  /** Further beginnings, of one without a rule. */
  readonly othersMs: readonly number[];
}

const dayMs = 86_400_000;
const yearMs = 366 * dayMs;
const observancesMax = 500;
/** Observances with a rule: each costs a look for every year in question. */
const rulesMax = 20;
/** Changes of one observance in the years whose clocks are known. */
const changesMax = 400;

/** No event is before the first of these years, and no rule is followed beyond the last. */
const [firstYear, lastYear] = [1970, 2110];

/** The year whose clocks stand for those of a year. */
export const comparedYear = (year: number): number =>
  Math.min(Math.max(year, firstYear), lastYear - 10);

/**
 * A time zone as a calendar file defines it (VTIMEZONE, RFC 5545 §3.6.5). Its rules are held to what rules of
 * events are held to, yearly ones alone, and expanded by our own reader, which ends for every rule.
 */
export class ZoneDefinition {
  private known: Clocks | undefined;

  private constructor(
    /** The zone that it may be, by its maker's word. */
    readonly hint: string,
    private readonly observances: readonly Observance[],
  ) {}

  /** @throws Unreadable */
  static of(zone: Component): ZoneDefinition {
    const observances = zone[2].filter(([name]) => name === 'standard' || name === 'daylight');
    if (observances.length === 0 || observances.length > observancesMax)
      throw new Unreadable('a time zone that says no offset, or too many');
    if (observances.filter((one) => oneOf(one, ruleProperty)).length > rulesMax)
      throw new Unreadable('a time zone of too many rules');
    return new ZoneDefinition(textIn(zone, 'x-lic-location'), observances.map(observanceOf));
  }

  /** A zone that is always so far from UTC. */
  static fixed(offsetMs: number): ZoneDefinition {
    const always = { beforeMs: offsetMs, afterMs: offsetMs, startMs: 0 };
    return new ZoneDefinition('', [{ ...always, series: null, othersMs: [] }]);
  }

  /** The time by which the clocks are ahead of UTC at a moment. */
  offsetAt(ms: number): number {
    return offsetAt(this.clocks, ms);
  }

  /** The clocks from the beginning of one year to the end of another. */
  clocksOf(fromYear: number, toYear: number): Clocks {
    const [fromMs, toMs] = [Date.UTC(fromYear, 0), Date.UTC(toYear + 1, 0)];
    const { clocks } = this;
    const changes = clocks.changes.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
    return {
      fromMs: Math.max(fromMs, clocks.fromMs),
      offsetMs: offsetAt(clocks, fromMs),
      changes,
    };
  }

  /** The moment at which the clocks show a time, as if it were UTC. */
  momentOf(wallMs: number): number {
    return momentBy(wallMs, (ms) => this.offsetAt(ms));
  }

  /** All that is known of the clocks: rules are expanded once, since they begin centuries ago. */
  private get clocks(): Clocks {
    return (this.known ??= clocksOf(this.observances));
  }
}

function clocksOf(observances: readonly Observance[]): Clocks {
  const window = { fromMs: Date.UTC(firstYear, 0), toMs: Date.UTC(lastYear + 1, 0) };
  const found = observances.flatMap((one) => changesOf(one, window));
  found.sort((one, other) => one.atMs - other.atMs);
  const [earliest] = found;
  const last = found.findLast(({ atMs }) => atMs <= window.fromMs);
  const offsetMs = last?.afterMs ?? earliest?.beforeMs ?? 0;
  let beforeMs = offsetMs;
  const changes = found
    .filter(({ atMs }) => atMs > window.fromMs)
    .map(({ atMs, afterMs }) => {
      const change = { atMs, beforeMs, afterMs };
      beforeMs = afterMs;
      return change;
    });
  const fromMs = last ? window.fromMs : (earliest?.atMs ?? window.fromMs);
  return { fromMs, offsetMs, changes };
}

/** The offset of clocks at a moment. */
export const offsetAt = ({ offsetMs, changes }: Clocks, ms: number): number =>
  changes.findLast(({ atMs }) => atMs <= ms)?.afterMs ?? offsetMs;

function observanceOf(observance: Component): Observance {
  const isListed = oneOf(observance, 'rdate') !== undefined;
  const rrule = isListed ? null : ruleIn(observance);
  if (isListed && ruleIn(observance) !== null)
    throw new Unreadable('a time zone with a rule and other days');
  const beforeMs = offsetIn(observance, 'tzoffsetfrom');
  const startMs = wallOf(textIn(observance, 'dtstart'));
  return {
    ...{ beforeMs, startMs, afterMs: offsetIn(observance, 'tzoffsetto') },
    series: rrule === null ? null : seriesOf(ruleOf(rrule, beforeMs), startMs),
    othersMs: allOf(observance, 'rdate').flatMap(([, , , ...values]) => values.map(wallOf)),
  };
}

/** A local time as if it were UTC; Outlook has clocks change since 1601. */
function wallOf(value: unknown): number {
  const ms = Date.parse(`${String(value).replace(/Z$/, '')}Z`);
  if (Number.isNaN(ms)) throw new Unreadable('a time zone that begins at no time');
  return ms;
}

function offsetIn(observance: Component, name: string): number {
  const found = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(textIn(observance, name));
  if (!found) throw new Unreadable('a time zone that says no offset');
  const [hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part: string | undefined) => Number(part ?? 0));
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  if (ms > dayMs) throw new Unreadable('a time zone that is days ahead');
  return found[1] === '-' ? -ms : ms;
}

/** UNTIL is a moment; the rest goes by the clocks before the change. */
function ruleOf(rrule: string, beforeMs: number): RecurrenceRule {
  const { rule } = readRecurrence({ rrule }, 'rrule', 'UTC');
  if (rule?.freq !== 'yearly' || rule.count !== null)
    throw new Unreadable('a time zone whose rule cannot be kept');
  return { ...rule, untilMs: rule.untilMs === null ? null : rule.untilMs + beforeMs };
}

const seriesOf = (rule: RecurrenceRule, startMs: number) => ({
  ...{ rule, startMs, lastMs: lastStartOf({ rule, startMs }) },
});

/** The changes of an observance in a window, and the last one before it. @throws Unreadable */
function changesOf(
  { beforeMs, afterMs, startMs, series, othersMs }: Observance,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Change[] {
  const window = { fromMs: fromMs + beforeMs, toMs: toMs + beforeMs };
  const walls = series ? wallsOf(series, window) : [startMs, ...othersMs];
  const changes = walls.map((wallMs) => ({ atMs: wallMs - beforeMs, beforeMs, afterMs }));
  changes.sort((one, other) => one.atMs - other.atMs);
  const before = changes.findLast(({ atMs }) => atMs <= fromMs);
  const within = changes.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  return before ? [before, ...within] : within;
}

function wallsOf(
  { lastMs, ...series }: NonNullable<Observance['series']>,
  window: { fromMs: number; toMs: number },
): readonly number[] {
  if (series.startMs > window.toMs) return [];
  if (lastMs !== null && lastMs <= window.fromMs) return [lastMs];
  // The last change before the window is the one that counts in it; rules have one each few years.
  const fromMs = window.fromMs - 10 * yearMs;
  const found = startsBetween(series, { fromMs, toMs: window.toMs, max: changesMax });
  if (found.length >= changesMax) throw new Unreadable('a time zone whose clocks change too often');
  return [series.startMs, ...found];
}
