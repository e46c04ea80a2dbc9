import { field, type Presence } from './field.js';
import { isString } from './values.js';

/** Years of four digits that PostgreSQL knows, as those of an instant. */
const form = /^[12]\d{3}-\d\d-\d\d$/;

/** Whether a text is a day of the calendar: not 30 February. */
function isDay(value: unknown): value is string {
  if (!isString(value) || !form.test(value)) return false;
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
