import { field, type ListOptions, type Presence } from './field.js';

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

/** The version of a resource, which `If-Match` names. */
export const Version = (about = 'Grows by one with every change.') =>
  Count(about, { max: Number.MAX_SAFE_INTEGER });

/** A number from 0 to 1. */
export function Share<const O extends Presence>(about: string, options?: O) {
  return field<number, O>({
    about,
    options,
    schema: () => ({ type: 'number', minimum: 0, maximum: 1 }),
    expects: { fr: 'nombre de 0 à 1 attendu', en: 'expected a number from 0 to 1' },
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    fromText: (text) => (/^\d(\.\d{1,15})?$/.test(text) ? Number(text) : text),
  });
}

interface IntegersOptions extends ListOptions {
  /** Bounds of a number. */
  readonly from: number;
  readonly to: number;
}

/** Whole numbers, each once. */
export function Integers<const O extends IntegersOptions>(about: string, options: O) {
  const { from, to, max } = options;
  return field<number[], O>({
    about,
    options,
    schema: () => ({
      type: 'array',
      maxItems: max,
      uniqueItems: true,
      items: { type: 'integer', minimum: from, maximum: to },
    }),
    expects: {
      fr: `liste sans répétition d’au plus ${max} entiers de ${from} à ${to} attendue`,
      en: `expected a list, without repetition, of at most ${max} whole numbers from ${from} to ${to}`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every((one) => Number.isInteger(one) && one >= from && one <= to) &&
      new Set(value).size === value.length,
  });
}

/**
 * The version that a change is meant for, from the `If-Match` header (`decisions.md` §1): a bare
 * number, or in quotes as RFC 9110 §8.8.3 writes a tag. `*` means any, as if it were absent.
 */
export function IfMatch() {
  return field<number, { optional: true }>({
    about: 'Version that was read; another one by now is a conflict.',
    options: { optional: true },
    header: 'If-Match',
    schema: () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    expects: { fr: 'numéro de version attendu', en: 'expected a version number' },
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    fromText: (text) => {
      if (text === '*') return undefined;
      const version = /^(?:(\d{1,15})|"(\d{1,15})")$/.exec(text);
      return version ? Number(version[1] ?? version[2]) : text;
    },
  });
}
