import type { Wording } from '../fields/faults.js';
import { momentOf } from './wall-clock.js';

/** Frequencies of a rule; none below a day (`decisions.md` §5). */
export const frequencies = ['daily', 'weekly', 'monthly', 'yearly'] as const;
export type Frequency = (typeof frequencies)[number];

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof weekdays)[number];

/** Bounds of a rule's parts. */
export const recurrenceLimits = {
  interval: 1000,
  count: 2_000,
  exceptions: 1000,
  rrule: 500,
  byDay: 74,
  byMonthDay: 62,
  byMonth: 12,
  bySetPos: 50,
  additions: 1000,
  setPos: 366,
  timeZone: 60,
} as const;

/** A recurrence rule (RFC 5545 §3.3.10) as it is kept: what is not said is empty or null. */
export interface RecurrenceRule {
  readonly freq: Frequency;
  readonly interval: number;
  /** `MO`, or, monthly and yearly, `-1FR`. */
  readonly byDay: readonly string[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** The day on which a week begins, as it counts for every other week, and for positions in one. */
  readonly weekStart: Weekday;
  readonly count: number | null;
  readonly untilMs: number | null;
  /** IANA; the rule is expanded by the clocks of this zone. */
  readonly timeZone: string;
  /** Starts of occurrences that do not take place. */
  readonly exceptMs: readonly number[];
  /** Starts of further occurrences beside those of the rule (RDATE). */
  readonly addedMs: readonly number[];
}

/** The parts of an RRULE text; zone, exceptions and additions stand beside it. */
export type RruleParts = Omit<RecurrenceRule, 'timeZone' | 'exceptMs' | 'addedMs'>;

/** Why a text cannot be taken. */
export class RruleFault extends Error {
  constructor(readonly wording: Wording) {
    super(wording.en);
  }
}

const fault = (fr: string, en: string): RruleFault => new RruleFault({ fr, en });

const known = new Set([
  ...['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS', 'COUNT', 'UNTIL', 'WKST'],
]);

/**
 * Reads an RRULE (RFC 5545 §3.3.10), with or without its name in front.
 * @param timeZone that of the series (IANA), in which a day ends
 * @throws RruleFault for what is no rule, or what the object of the API cannot say
 */
export function parseRrule(text: string, timeZone: string): RruleParts {
  const parts = partsOf(text);
  const freq = frequencies.find((one) => one.toUpperCase() === parts.get('FREQ'));
  if (!freq)
    throw fault(
      'FREQ doit être DAILY, WEEKLY, MONTHLY ou YEARLY',
      'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY',
    );
  return {
    freq,
    interval: integerOf(parts, 'INTERVAL', recurrenceLimits.interval) ?? 1,
    byDay: listOf(parts, 'BYDAY').map((day) => day.replace(/^\+/, '')),
    byMonthDay: integersOf(parts, 'BYMONTHDAY'),
    byMonth: integersOf(parts, 'BYMONTH'),
    bySetPos: integersOf(parts, 'BYSETPOS'),
    weekStart: weekStartOf(parts.get('WKST')),
    count: integerOf(parts, 'COUNT', recurrenceLimits.count) ?? null,
    untilMs: untilOf(parts.get('UNTIL'), timeZone),
  };
}

function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [name = '', value = '', more] = part.split('=');
    if (value === '' || more !== undefined)
      throw fault('parties NOM=VALEUR attendues', 'expected NAME=VALUE parts');
    if (parts.has(name)) throw fault(`${name} donné deux fois`, `${name} is given twice`);
    if (!known.has(name))
      throw fault(`${name} n’est pas pris en charge`, `${name} is not supported`);
    parts.set(name, value);
  }
  return parts;
}

/** Monday where nothing is said (RFC 5545 §3.3.10). */
function weekStartOf(text = 'MO'): Weekday {
  const day = weekdays.find((one) => one === text);
  if (!day) throw fault('WKST est inconnu', 'WKST is no weekday');
  return day;
}

const listOf = (parts: ReadonlyMap<string, string>, name: string): readonly string[] => [
  ...new Set(parts.get(name)?.split(',') ?? []),
];

function integersOf(parts: ReadonlyMap<string, string>, name: string): readonly number[] {
  return listOf(parts, name).map((text) => {
    if (!/^[+-]?\d{1,3}$/.test(text) || Number(text) === 0)
      throw fault(
        `${name} : nombres non nuls attendus`,
        `${name}: expected numbers other than zero`,
      );
    return Number(text);
  });
}

function integerOf(
  parts: ReadonlyMap<string, string>,
  name: string,
  max: number,
): number | undefined {
  const text = parts.get(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max)
    throw fault(
      `${name} : nombre de 1 à ${max} attendu`,
      `${name}: expected a number from 1 to ${max}`,
    );
  return value;
}

/** A date is the end of that day in the zone of the series: no occurrence of the day is left out. */
function untilOf(text: string | undefined, timeZone: string): number | null {
  if (text === undefined) return null;
  const [, year, month, day, time] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6})Z?)?$/.exec(text) ?? [];
  const clock = time ? `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}` : '23:59:59';
  const said = Date.parse(`${year}-${month}-${day}T${clock}Z`);
  const ms = text.endsWith('Z') || Number.isNaN(said) ? said : momentOf(said, timeZone);
  if (Number.isNaN(ms) || ms < 1)
    throw fault('UNTIL : date attendue', 'UNTIL: expected a date, or a date and time in UTC');
  return ms;
}

/** A moment as RFC 5545 writes it in UTC (§3.3.5), cut to its second. */
export const utcStamp = (ms: number): string =>
  new Date(ms).toISOString().replaceAll(/[-:]/g, '').replace(/\.\d+/, '');

/** The RRULE text of a rule. */
export function rruleText(rule: RruleParts): string {
  const list = (name: string, values: readonly (string | number)[]): string[] =>
    values.length > 0 ? [`${name}=${values.join(',')}`] : [];
  return [
    `FREQ=${rule.freq.toUpperCase()}`,
    ...(rule.interval > 1 ? [`INTERVAL=${rule.interval}`] : []),
    ...list('BYMONTH', rule.byMonth),
    ...list('BYMONTHDAY', rule.byMonthDay),
    ...list('BYDAY', rule.byDay),
    ...list('BYSETPOS', rule.bySetPos),
    ...(rule.count === null ? [] : [`COUNT=${rule.count}`]),
    ...(rule.untilMs === null ? [] : [`UNTIL=${utcStamp(rule.untilMs)}`]),
    ...(rule.weekStart === 'MO' ? [] : [`WKST=${rule.weekStart}`]),
  ].join(';');
}
