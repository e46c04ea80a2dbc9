import { field, type Presence } from './field.js';
import { isString } from './values.js';

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
