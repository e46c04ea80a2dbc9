import { field, type Presence } from './field.js';
import { isString } from './values.js';

/** One of a closed list of words. */
export function OneOf<const V extends readonly string[], const O extends Presence>(
  values: V,
  about: string,
  options?: O & { readonly default?: V[number] },
) {
  const words: readonly string[] = values;
  return field<V[number], O>({
    about,
    options,
    schema: () => ({ type: 'string', enum: words }),
    expects: {
      fr: `une valeur parmi ${words.join(', ')} attendue`,
      en: `expected one of ${words.join(', ')}`,
    },
    accepts: (value) => isString(value) && words.includes(value),
  });
}

/** Words of a closed list, each at most once. */
export function SomeOf<const V extends readonly string[], const O extends Presence>(
  values: V,
  about: string,
  options?: O & { readonly default?: readonly V[number][] },
) {
  const words: readonly string[] = values;
  return field<V[number][], O>({
    about,
    options,
    schema: () => ({
      type: 'array',
      uniqueItems: true,
      maxItems: words.length,
      items: { type: 'string', enum: words },
    }),
    expects: {
      fr: `liste sans répétition de valeurs parmi ${words.join(', ')} attendue`,
      en: `expected a list, without repetition, of ${words.join(', ')}`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.every((word) => isString(word) && words.includes(word)) &&
      new Set(value).size === value.length,
  });
}

/** One of a closed list of words; anything else is taken for one of them (public-api.md §2, Task). */
export function OneOfOr<const V extends readonly string[], const O extends Presence>(
  values: V,
  otherwise: V[number],
  about: string,
  options?: O,
) {
  const words: readonly string[] = values;
  const isWord = (value: unknown): boolean => isString(value) && words.includes(value);
  return field<V[number], O>({
    about,
    options,
    schema: () => ({ type: 'string', enum: words }),
    expects: { fr: 'une valeur attendue', en: 'expected a value' },
    accepts: isWord,
    convert: (value) => (isWord(value) ? value : otherwise),
  });
}
