import type { GivenRecurrence, Recurrence } from '@postroom/contracts';
import { Temporal } from 'temporal-polyfill';
import { weekdays, type Rule } from './words.js';

/** A repetition as forms hold it. */
export type RuleValue = Omit<Rule, 'timeZone'> & {
  readonly weekStart?: Recurrence['weekStart'];
  readonly exceptMs?: readonly number[];
  readonly addedMs?: readonly number[];
};

export const ruleValueOf = (given: Recurrence | null): RuleValue | null => {
  if (!given) return null;
  const { timeZone: _, rrule: __, ...value } = given;
  return value;
};

/** The parts of a repetition as they are sent, with the zone whose clocks it goes by. */
export const givenRule = (value: RuleValue | null, timeZone: string): GivenRecurrence | null =>
  value && {
    ...{ freq: value.freq, interval: value.interval, byDay: value.byDay, timeZone },
    ...{
      byMonthDay: value.byMonthDay,
      byMonth: value.byMonth,
      bySetPos: [...(value.bySetPos ?? [])],
    },
    ...(value.weekStart && { weekStart: value.weekStart }),
    ...(value.count && { count: value.count }),
    ...(value.untilMs && { untilMs: value.untilMs }),
    ...{ exceptMs: [...(value.exceptMs ?? [])], addedMs: [...(value.addedMs ?? [])] },
  };

const bare = { interval: 1, byMonthDay: [], byMonth: [], bySetPos: [], count: null, untilMs: null };

/** The simplest rule of a frequency, for something that begins on that day. */
export const simpleRule = (freq: RuleValue['freq'], day: string): RuleValue => ({
  ...{ ...bare, freq },
  byDay: freq === 'weekly' ? [weekdayOf(day)] : [],
  ...(freq === 'monthly' && { byMonthDay: [dateOf(day)?.day ?? 1] }),
});

function dateOf(day: string): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(day);
  } catch {
    return null;
  }
}

/** `MO` to `SU`. */
export const weekdayOf = (day: string): string =>
  weekdays[(dateOf(day)?.dayOfWeek ?? 1) - 1] ?? 'MO';

/** The ways in which a month has such a day: the 15th, the third Tuesday, the last one. */
export function placesInMonth(
  day: string,
): readonly { readonly name: string; readonly rule: Pick<RuleValue, 'byDay' | 'byMonthDay'> }[] {
  const date = dateOf(day);
  if (!date) return [];
  const position = Math.ceil(date.day / 7);
  const weekday = weekdayOf(day);
  const isLast = date.day + 7 > date.daysInMonth;
  return [
    { name: 'on that date', rule: { byDay: [], byMonthDay: [date.day] } },
    ...(position < 5
      ? [
          {
            name: 'on that weekday of the month',
            rule: { byDay: [`${position}${weekday}`], byMonthDay: [] },
          },
        ]
      : []),
    ...(isLast
      ? [{ name: 'on the last such weekday', rule: { byDay: [`-1${weekday}`], byMonthDay: [] } }]
      : []),
    { name: 'on the last day of the month', rule: { byDay: [], byMonthDay: [-1] } },
  ];
}

/**
 * The rule after its first day has moved: what named the old weekday or date names the new one. Days of a week move
 * along together.
 */
export function movedRule(rule: RuleValue, from: string, to: string): RuleValue {
  const [before, after] = [dateOf(from), dateOf(to)];
  if (!before || !after || from === to) return rule;
  const shift = before.until(after, { largestUnit: 'day' }).days;
  const moved = (day: string): string =>
    weekdays[(((weekdays.indexOf(day) + shift) % 7) + 7) % 7] ?? day;
  return {
    ...rule,
    byDay: rule.freq === 'weekly' ? rule.byDay.map(moved) : rule.byDay,
    byMonthDay: rule.byMonthDay.map((day) => (day === before.day ? after.day : day)),
  };
}

/** The rule as RFC 5545 writes it. */
export function rruleOf(rule: RuleValue): string {
  const parts: readonly (readonly [string, string | false])[] = [
    ['FREQ', rule.freq.toUpperCase()],
    ['INTERVAL', rule.interval > 1 && String(rule.interval)],
    ['BYMONTH', rule.byMonth.length > 0 && rule.byMonth.join(',')],
    ['BYMONTHDAY', rule.byMonthDay.length > 0 && rule.byMonthDay.join(',')],
    ['BYDAY', rule.byDay.length > 0 && rule.byDay.join(',')],
    ['BYSETPOS', (rule.bySetPos ?? []).length > 0 && (rule.bySetPos ?? []).join(',')],
    ['COUNT', rule.count ? String(rule.count) : false],
    ['UNTIL', rule.untilMs ? utcText(rule.untilMs) : false],
  ];
  return parts
    .filter(([, value]) => value !== false)
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
}

const utcText = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
