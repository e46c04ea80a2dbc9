import { field, type ListOptions } from './field.js';

interface IntegersOptions extends ListOptions {
  /** Bounds of a number; zero is never one. */
  readonly from: number;
  readonly to: number;
}

/** Whole numbers other than zero, each once. */
export function Integers<const O extends IntegersOptions>(about: string, options: O) {
  const { from, to, max } = options;
  return field<number[], O>({
    about,
    options,
    schema: () => ({
      type: 'array',
      maxItems: max,
      uniqueItems: true,
      items: { type: 'integer', minimum: from, maximum: to, not: { const: 0 } },
    }),
    expects: {
      fr: `liste sans répétition d’au plus ${max} entiers non nuls de ${from} à ${to} attendue`,
      en: `expected a list, without repetition, of at most ${max} whole numbers from ${from} to ${to}, none of them zero`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every((one) => Number.isInteger(one) && one !== 0 && one >= from && one <= to) &&
      new Set(value).size === value.length,
  });
}
