import { field, type ListOptions, type Presence } from './field.js';
import { isString } from './values.js';
import { Integers } from './scalars.js';

/** Years of four digits that PostgreSQL knows, as those of an instant. */
const dayForm = /^[12]\d{3}-\d\d-\d\d$/;

/** True for a day of the calendar: not 30 February. */
function isDay(value: unknown): value is string {
  if (!isString(value) || !dayForm.test(value)) return false;
  const midnight = new Date(`${value}T00:00:00Z`);
  // Date rolls a day that the month lacks over into the next month.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
}

/** A day as ISO 8601 writes it, `2026-01-31`; in which time zone, its words say. */
export function Day<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', format: 'date', maxLength: 10 }),
    expects: {
      fr: 'date AAAA-MM-JJ attendue, de l’an 1000 à 2999',
      en: 'expected a date, YYYY-MM-DD, of the years 1000 to 2999',
    },
    accepts: isDay,
  });
}

/** Days of any year, and the leap years of 1000 to 2999, `-` for a year that is not known among them. */
const dayOfYear =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const leapYear = '(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:1[26]|2[048])00|-)';
const birthdayPattern = `^(?:(?:[12][0-9]{3}|-)-${dayOfYear}|${leapYear}-02-29)$`;
const birthdayForm = new RegExp(birthdayPattern);

/** True for a day of the calendar, or for one of a year that is not known: `--02-29`. */
export const isBirthday = (value: unknown): value is string =>
  isString(value) && birthdayForm.test(value);

/** A birthday, `1990-01-31`, or `--01-31` where the year is not known (RFC 6350 §4.3.1, extended). */
export function Birthday<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', maxLength: 10, pattern: birthdayPattern }),
    expects: {
      fr: 'date AAAA-MM-JJ ou --MM-JJ attendue',
      en: 'expected a date, YYYY-MM-DD or --MM-DD',
    },
    accepts: isBirthday,
  });
}

const hourAndMinute = String.raw`([01]\d|2[0-3]):[0-5]\d`;
const seconds = String.raw`:[0-5]\d(\.\d{1,9})?`;

/**
 * RFC 3339, and what ISO 8601 allows beyond it: no seconds. The years are those of RFC 3339 but 0, in
 * UTC too, so that the least and the most that clients have for a date pass; a leap second is none of
 * Date's.
 */
const instant = new RegExp(
  String.raw`^(?!0000)\d{4}-\d\d-\d\dT${hourAndMinute}(${seconds})?(Z|[+-]${hourAndMinute})$`,
);

/** The same moment in UTC with milliseconds; undefined for what names none, as 30 February. */
function inUtc(text: string): string | undefined {
  if (!instant.test(text)) return undefined;
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  // Date rolls a day that the month lacks over into the next month.
  if (Number.isNaN(day) || !text.startsWith(new Date(day).toISOString().slice(0, 10))) {
    return undefined;
  }
  const utc = new Date(text).toISOString();
  return instant.test(utc) ? utc : undefined;
}

/** A moment as ISO 8601 text with an explicit zone, kept in UTC with milliseconds. */
export function Instant<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', format: 'date-time', maxLength: 35 }),
    expects: {
      fr: 'date ISO 8601 avec fuseau explicite attendue',
      en: 'expected an ISO 8601 date-time with an explicit zone',
    },
    accepts: (value) => isString(value) && inUtc(value) !== undefined,
    convert: (value) => (isString(value) ? (inUtc(value) ?? value) : value),
  });
}

/** The last millisecond of the year 9999, the last that dates in texts can say. */
const millisMax = 253_402_300_799_999;

/** A moment as epoch milliseconds, after the first of 1970. */
export function Millis<const O extends Presence>(about: string, options?: O) {
  return field<number, O>({
    about,
    options,
    schema: () => ({ type: 'integer', minimum: 1, maximum: millisMax }),
    expects: {
      fr: 'nombre entier de millisecondes depuis 1970 attendu',
      en: 'expected a whole number of milliseconds since 1970',
    },
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= millisMax,
    fromText: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text),
  });
}

/** Moments as epoch milliseconds, each once, in any order. */
export const MillisList = <const O extends ListOptions>(about: string, options: O) =>
  Integers(about, { ...options, from: 1, to: millisMax });
