import { field, type ListOptions, type Presence } from './field.js';
import { Integers } from './integers.js';

/** The last millisecond of the year 9999, the last that dates in texts can say. */
const millisMax = 253_402_300_799_999;

interface MillisOptions extends Presence {
  readonly max?: number;
}

/** A moment as epoch milliseconds, after the first of 1970. */
export function Millis<const O extends MillisOptions>(about: string, options?: O) {
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
