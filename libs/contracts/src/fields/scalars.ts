import { field, type Presence } from './field.js';

/** True or false. */
export function Flag<const O extends Presence & { default?: boolean }>(about: string, options?: O) {
  return field<boolean, O>({
    about,
    options,
    schema: () => ({ type: 'boolean' }),
    expects: { fr: 'true ou false attendu', en: 'expected true or false' },
    accepts: (value) => typeof value === 'boolean',
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  });
}

interface CountOptions extends Presence {
  readonly min?: number;
  readonly max: number;
  readonly default?: number;
}

/** A whole number between `min` (0) and `max`. */
export function Count<const O extends CountOptions>(about: string, options: O) {
  const { min = 0, max } = options;
  return field<number, O>({
    about,
    options,
    schema: () => ({ type: 'integer', minimum: min, maximum: max }),
    expects: {
      fr: `nombre entier de ${min} à ${max} attendu`,
      en: `expected a whole number from ${min} to ${max}`,
    },
    accepts: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    fromText: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  });
}
