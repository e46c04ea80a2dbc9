import {
  Count,
  Integers,
  Millis,
  MillisList,
  OneOf,
  Text,
  Texts,
  type Violation,
  type Wording,
} from '../fields/index.js';
import {
  frequencies,
  type Frequency,
  parseRrule,
  recurrenceLimits as limits,
  type RecurrenceRule,
  RruleFault,
  type RruleParts,
  rruleText,
  type Weekday,
  weekdays,
} from './rrule-text.js';

const unsaid = { optional: true, nullable: 'absent' } as const;
const monthDays = { from: -31, to: 31, max: limits.byMonthDay } as const;
const months = { from: 1, to: 12, max: limits.byMonth } as const;
const positions = { from: -limits.setPos, to: limits.setPos, max: limits.bySetPos } as const;
const byDayAbout =
  'Weekdays, `MO` to `SU`; monthly and yearly with an ordinal in front, as `-1FR`.';

/** A repeat rule as it is given: by its parts, or as the text of an RRULE. */
export class GivenRecurrence {
  @OneOf(frequencies, 'How often.', unsaid)
  freq?: Frequency;

  @Count('Every so many days, weeks, months or years.', { min: 1, max: limits.interval, ...unsaid })
  interval?: number;

  @Texts(byDayAbout, { max: limits.byDay, each: 5, ...unsaid })
  byDay?: string[];

  @Integers('Days of the month; negative from its end.', { ...monthDays, ...unsaid })
  byMonthDay?: number[];

  @Integers('Months.', { ...months, ...unsaid })
  byMonth?: number[];

  @Integers('Of all that match in a period these; negative from its end.', {
    ...positions,
    ...unsaid,
  })
  bySetPos?: number[];

  @OneOf(weekdays, 'The day on which a week begins, `MO` when absent.', unsaid)
  weekStart?: Weekday;

  @Count('How many occurrences; not with `untilMs`.', { min: 1, max: limits.count, ...unsaid })
  count?: number;

  @Millis('No occurrence starts after this moment; not with `count`.', unsaid)
  untilMs?: number;

  @Text('Time zone whose clocks it goes by (IANA).', { max: limits.timeZone, ...unsaid })
  timeZone?: string;

  @MillisList('Starts of occurrences that do not take place.', {
    max: limits.exceptions,
    ...unsaid,
  })
  exceptMs?: number[];

  @MillisList('Starts of further occurrences, beside those of the rule.', {
    max: limits.additions,
    ...unsaid,
  })
  addedMs?: number[];

  @Text('The rule as RRULE (RFC 5545 §3.3.10), instead of its parts.', {
    max: limits.rrule,
    ...unsaid,
  })
  rrule?: string;
}

/** A repeat rule, by its parts and as text. */
export class Recurrence {
  @OneOf(frequencies, 'How often.')
  freq!: Frequency;

  @Count('Every so many days, weeks, months or years.', { min: 1, max: limits.interval })
  interval!: number;

  @Texts(byDayAbout, { max: limits.byDay, each: 5 })
  byDay!: string[];

  @Integers('Days of the month; negative from its end.', monthDays)
  byMonthDay!: number[];

  @Integers('Months.', months)
  byMonth!: number[];

  @Integers('Of all that match in a period these; negative from its end.', positions)
  bySetPos!: number[];

  @OneOf(weekdays, 'The day on which a week begins.', { optional: true })
  weekStart?: Weekday;

  @Count('How many occurrences; null for no such end.', { max: limits.count, nullable: true })
  count!: number | null;

  @Millis('The last moment at which one may start; null for no such end.', { nullable: true })
  untilMs!: number | null;

  @Text('Time zone whose clocks it goes by (IANA).', { max: limits.timeZone })
  timeZone!: string;

  @MillisList('Starts of occurrences that do not take place.', { max: limits.exceptions })
  exceptMs!: number[];

  @MillisList('Starts of further occurrences, beside those of the rule.', {
    max: limits.additions,
    optional: true,
  })
  addedMs?: number[];

  @Text('The same rule as RRULE (RFC 5545 §3.3.10).', { max: 2 * limits.rrule })
  rrule!: string;
}

/** A rule as the API shows it. */
export const recurrenceView = (rule: RecurrenceRule): Recurrence => ({
  freq: rule.freq,
  interval: rule.interval,
  byDay: [...rule.byDay],
  byMonthDay: [...rule.byMonthDay],
  byMonth: [...rule.byMonth],
  bySetPos: [...rule.bySetPos],
  weekStart: rule.weekStart,
  count: rule.count,
  untilMs: rule.untilMs,
  timeZone: rule.timeZone,
  exceptMs: [...rule.exceptMs],
  addedMs: [...rule.addedMs],
  rrule: rruleText(rule),
});

/** The names of three letters that IANA has; ICU has more, of which `BST` is Dhaka's time, and `IST` Kolkata's. */
const shortNames = new Set([
  ...['CET', 'EET', 'EST', 'GMT', 'HST', 'MET', 'MST', 'PRC', 'ROC', 'ROK', 'UCT', 'UTC', 'WET'],
]);

/**
 * True if IANA has a time zone of this name, and the runtime knows it. An offset is none: `+02:00` is west of
 * Greenwich to PostgreSQL, and east to everyone else.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || /^SystemV\//i.test(name)) return false;
  if (name.length === 3 && !shortNames.has(name.toUpperCase())) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * A time zone as IANA spells it, whatever its letter case: some readers tell them apart. Another name of the
 * same zone stays.
 */
export function spelledZone(name: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
}

/** Faults of a time zone that was given. */
export const zoneFaults = (timeZone: string | null | undefined): readonly Violation[] =>
  (timeZone ?? null) === null || isTimeZone(timeZone as string)
    ? []
    : [{ field: 'timeZone', fault: 'UNKNOWN_VALUE', message: zoneExpected }];

const zoneExpected: Wording = { fr: 'fuseau IANA attendu', en: 'expected an IANA zone' };

/** A sound rule, or what is wrong with it. */
export type ReadRecurrence =
  | { readonly rule: RecurrenceRule; readonly faults?: never }
  | { readonly rule?: never; readonly faults: readonly Violation[] };

/**
 * Reads a rule that was given.
 * @param at the field that it stands in, for what is said of its faults
 * @param timeZone of the series, where the rule names none
 */
export function readRecurrence(
  given: GivenRecurrence,
  at: string,
  timeZone: string,
): ReadRecurrence {
  const zone = given.timeZone ?? timeZone;
  const faults: Violation[] = [];
  const add = (field: string, message: Wording): void => {
    faults.push({ field: `${at}.${field}`, message });
  };
  if (!isTimeZone(zone)) add('timeZone', zoneExpected);
  const parts = partsOf(given, isTimeZone(zone) ? zone : 'UTC', add);
  if (parts) for (const [field, message] of faultsOf(parts)) add(field, message);
  if (!parts || faults.length > 0) return { faults };
  return {
    rule: {
      ...parts,
      timeZone: spelledZone(zone),
      exceptMs: inOrder(given.exceptMs),
      addedMs: inOrder(given.addedMs),
    },
  };
}

const inOrder = (moments: readonly number[] = []): readonly number[] =>
  [...new Set(moments)].sort((a, b) => a - b);

function partsOf(
  given: GivenRecurrence,
  timeZone: string,
  add: (field: string, message: Wording) => void,
): RruleParts | null {
  const { rrule, freq } = given;
  if (rrule === undefined) {
    if (freq !== undefined) return givenParts({ ...given, freq });
    add('freq', { fr: 'freq ou rrule attendu', en: 'expected freq or rrule' });
    return null;
  }
  try {
    const parts = parseRrule(rrule, timeZone);
    // Answers carry both forms: what comes back with a changed part means that part.
    if (freq === undefined || agree(parts, givenParts({ ...given, freq }))) return parts;
    add('rrule', {
      fr: 'dit autre chose que les champs à côté',
      en: 'it says something else than the fields beside it',
    });
  } catch (error) {
    if (!(error instanceof RruleFault)) throw error;
    add('rrule', error.wording);
  }
  return null;
}

const givenParts = (given: GivenRecurrence & { freq: Frequency }): RruleParts => ({
  freq: given.freq,
  interval: given.interval ?? 1,
  byDay: [...new Set((given.byDay ?? []).map((day) => day.toUpperCase().replace(/^\+/, '')))],
  byMonthDay: given.byMonthDay ?? [],
  byMonth: given.byMonth ?? [],
  bySetPos: given.bySetPos ?? [],
  weekStart: given.weekStart ?? 'MO',
  count: given.count ?? null,
  untilMs: given.untilMs ?? null,
});

const agree = (one: RruleParts, other: RruleParts): boolean => rruleText(one) === rruleText(other);

type Fault = readonly [field: string, message: Wording];

/** The ordinals that each frequency takes in front of a weekday. */
const ordinalMax: Readonly<Record<Frequency, number>> = {
  daily: 0,
  weekly: 0,
  monthly: 5,
  yearly: 52,
};

function faultsOf(parts: RruleParts): readonly Fault[] {
  const faults: Fault[] = dayFaults(parts);
  if (parts.count !== null && parts.untilMs !== null)
    faults.push(['count', { fr: 'sans untilMs', en: 'not beside untilMs' }]);
  if (parts.freq === 'weekly' && parts.byMonthDay.length > 0)
    faults.push(['byMonthDay', { fr: 'pas chaque semaine', en: 'not weekly (RFC 5545)' }]);
  const others = [parts.byDay, parts.byMonthDay, parts.byMonth];
  if (parts.bySetPos.length > 0 && others.every((list) => list.length === 0))
    faults.push(['bySetPos', { fr: 'sans autre règle BY', en: 'it needs another BY part' }]);
  if (!parts.byMonth.every((month) => month >= 1 && month <= 12))
    faults.push(['byMonth', { fr: 'de 1 à 12', en: 'from 1 to 12' }]);
  if (!parts.byMonthDay.every((day) => day !== 0 && Math.abs(day) <= 31))
    faults.push(['byMonthDay', { fr: 'de -31 à 31, sauf 0', en: 'from -31 to 31, but 0' }]);
  if (!parts.bySetPos.every((place) => place !== 0 && Math.abs(place) <= limits.setPos))
    faults.push(['bySetPos', { fr: 'de -366 à 366, sauf 0', en: 'from -366 to 366, but 0' }]);
  return faults;
}

function dayFaults({ freq, byDay, byMonthDay }: RruleParts): Fault[] {
  const days = byDay.map((day) => /^(-?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(day));
  const ordinals = days.flatMap((day) => (day?.[1] === undefined ? [] : [Number(day[1])]));
  const areOrdinals = ordinals.every((one) => one !== 0 && Math.abs(one) <= ordinalMax[freq]);
  if (days.includes(null) || !areOrdinals)
    return [['byDay', { fr: 'jour inconnu', en: 'no such weekday here' }]];
  if (freq === 'yearly' && ordinals.length > 0 && ordinals.length < days.length)
    return [['byDay', { fr: 'tous avec rang, ou aucun', en: 'all with an ordinal, or none' }]];
  // The library that expands rules takes no notice of the days of the month then.
  if (freq === 'yearly' && ordinals.length > 0 && byMonthDay.length > 0)
    return [['byMonthDay', { fr: 'sans rang de byDay', en: 'not beside an ordinal weekday' }]];
  return [];
}
