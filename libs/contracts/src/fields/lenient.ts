import { isEmail } from './address.js';
import { field, type Presence } from './field.js';
import { isString } from './values.js';

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

/** A mail address in lower case; what is none is taken for none (public-api.md §2, Task). */
export function EmailOrNone<const O extends Presence & { readonly nullable: true }>(
  about: string,
  options: O,
) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', format: 'idn-email', maxLength: 254 }),
    expects: { fr: 'adresse électronique attendue', en: 'expected an email address' },
    accepts: isEmail,
    convert: (value) => (isEmail(value) ? value.toLowerCase() : null),
  });
}
