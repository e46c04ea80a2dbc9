import {
  momentOf,
  readRecurrence,
  wallClock,
  weekdays,
  type Frequency,
  type GivenRecurrence,
  type RecurrenceRule,
} from '@postroom/contracts';
import fc from 'fast-check';
import { startsBetween, type Series } from '../recurrence/index.js';

/** Starts that are compared, at most. */
export const startsMax = 200;
const dayMs = 86_400_000;
const yearMs = 366 * dayMs;

/** A series, and the moment up to which it is expanded. */
export interface Case {
  readonly series: Series;
  readonly beforeMs: number;
}

const zones = [
  ...['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'],
  ...['America/Santiago', 'Asia/Kolkata', 'UTC'],
];
const times = ['00:00', '00:30', '01:30', '02:00', '02:15', '02:30', '09:00', '23:59'];
const some = <T>(values: readonly T[], maxLength: number): fc.Arbitrary<T[]> =>
  fc.oneof(
    fc.constant<T[]>([]),
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength }),
  );
const upTo = (max: number): readonly number[] =>
  Array.from({ length: max }, (_, i) => i + 1).flatMap((one) => [one, -one]);
const ordinals = (max: number) =>
  fc
    .tuple(fc.constantFrom(...upTo(max)), fc.constantFrom(...weekdays))
    .map(([ordinal, day]) => `${ordinal}${day}`);

const byDays: Readonly<Record<Frequency, fc.Arbitrary<string[]>>> = {
  daily: some<string>(weekdays, 4),
  weekly: some<string>(weekdays, 4),
  monthly: fc.oneof(
    some<string>(weekdays, 4),
    fc.uniqueArray(fc.oneof(ordinals(5), fc.constantFrom(...weekdays)), { maxLength: 3 }),
  ),
  yearly: fc.oneof(some<string>(weekdays, 4), fc.uniqueArray(ordinals(52), { maxLength: 3 })),
};

/** Parts of rules, from a start in 2025 to 2027 on, close to changes of clocks among them. */
export const givenRules = fc.constantFrom('daily', 'weekly', 'monthly', 'yearly').chain((freq) =>
  fc.record({
    freq: fc.constant(freq),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 7 })),
    byDay: byDays[freq],
    byMonthDay: freq === 'weekly' ? fc.constant<number[]>([]) : some(upTo(31), 3),
    byMonth: some(
      upTo(12).filter((month) => month > 0),
      4,
    ),
    bySetPos: some(upTo(5), 2),
    weekStart: fc.constantFrom('MO', 'MO', 'SU', 'WE'),
    end: fc.constantFrom('never', 'count', 'until'),
    count: fc.integer({ min: 1, max: 50 }),
    untilDays: fc.integer({ min: 0, max: 800 }),
    timeZone: fc.constantFrom(...zones),
    day: fc.oneof(
      fc.integer({
        min: Date.UTC(2025, 0, 1) / 86_400_000,
        max: Date.UTC(2027, 11, 31) / 86_400_000,
      }),
      fc.constantFrom(
        ...[
          '2026-03-28',
          '2026-03-29',
          '2026-10-24',
          '2026-10-25',
          '2027-03-14',
          '2026-04-05',
          '2026-09-06',
        ].map((day) => Date.parse(day) / 86_400_000),
      ),
    ),
    time: fc.constantFrom(...times),
    excepted: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
    onRule: fc.constantFrom(true, true, true, false),
  }),
);

type Given = typeof givenRules extends fc.Arbitrary<infer T> ? T : never;

/** The series of what was generated; null where the API refuses the rule, or it never matches. */
export function caseOf({
  day,
  time,
  end,
  count,
  untilDays,
  excepted,
  onRule,
  ...parts
}: Given): Case | null {
  const wallMs = day * dayMs + Date.parse(`1970-01-01T${time}Z`);
  const beganMs = momentOf(wallMs, parts.timeZone);
  const endless = endlessRule(parts);
  if (!endless) return null;
  const window = { fromMs: beganMs + 1, toMs: beganMs + 10 * yearMs, max: 1 };
  const [next] = startsBetween({ rule: endless, startMs: beganMs }, window);
  // For a rule that never matches dateutil would look at each day up to the year 9999.
  if (next === undefined) return null;
  const startMs = onRule ? next : beganMs;
  const ends = {
    count: end === 'count' && onRule && isCountedAlike(endless) ? count : null,
    untilMs: end === 'until' ? startMs + untilDays * dayMs : null,
  };
  const rule = { ...endless, ...ends };
  const beforeMs = startMs + (rule.freq === 'yearly' ? 8 : 2) * yearMs;
  const starts = startsBetween(
    { rule, startMs },
    { fromMs: startMs, toMs: beforeMs, max: startsMax },
  );
  const exceptMs = [...new Set(excepted.flatMap((i) => starts[i] ?? []))].filter(
    (ms) => !isMoved({ rule, startMs }, ms),
  );
  return { series: { rule: { ...rule, exceptMs }, startMs }, beforeMs };
}

/**
 * The local time of an occurrence does not exist, and it takes place at another: the oracles compare local times,
 * so that an exception of its moment does not leave it out (RFC 5545 §3.3.5, §3.8.5.1; ADR 43).
 */
const isMoved = ({ rule: { timeZone }, startMs }: Series, ms: number): boolean =>
  (wallClock(ms, timeZone) - wallClock(startMs, timeZone)) % dayMs !== 0;

/** The rule of generated parts; null where the API refuses it. */
function endlessRule(parts: GivenRecurrence): RecurrenceRule | null {
  const { rule } = readRecurrence(parts, 'recurrence', 'UTC');
  if (!rule || hasVainOrdinal(rule)) return null;
  return isMixed(rule) ? { ...rule, bySetPos: [] } : rule;
}

/** No month has a sixth Monday; the oracles fail when they look for it in the months that are named. */
const hasVainOrdinal = ({ byDay, byMonth }: RecurrenceRule): boolean =>
  byMonth.length > 0 && byDay.some((day) => Math.abs(Number(day.slice(0, -2))) > 5);

/** Ordinals stand beside plain weekdays. */
export const isMixed = ({ byDay }: RecurrenceRule): boolean =>
  byDay.some((day) => day.length > 2) && byDay.some((day) => day.length === 2);

/** Places in a week, of which the first one has passed in part. */
export const isWeeklyByPlace = ({ freq, bySetPos }: RecurrenceRule): boolean =>
  freq === 'weekly' && bySetPos.length > 0;

/** The oracles differ from RFC 5545 here: a difference at the beginning would shift the end of a counted series. */
const isCountedAlike = (rule: RecurrenceRule): boolean => !isMixed(rule) && !isWeeklyByPlace(rule);
