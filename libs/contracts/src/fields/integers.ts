import { field, type ListOptions } from './field.js';

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
