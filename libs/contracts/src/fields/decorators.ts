import { isId, unknownId, type IdPrefix } from '../ids.js';
import { field, type FieldDecorator, type Presence } from './field.js';
import type { Dto } from './registry.js';
import { jsonSchema } from './schema.js';

const isString = (value: unknown): value is string => typeof value === 'string';

/**
 * What PostgreSQL can keep and JSON can carry: no NUL, no lone surrogate. Anything else is refused
 * at the edge, because it would fail (or change silently) where it is stored.
 */
const isCleanText = (value: unknown): value is string =>
  isString(value) && !value.includes('\u0000') && value.isWellFormed();

/** Length in Unicode code points (`decisions.md` §1), without building an array of them. */
const codePoints = (text: string): number => {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
};

interface TextOptions extends Presence {
  /** Code points. */
  readonly max: number;
  /** Refuse a text of white space only, as if it were missing. */
  readonly filled?: boolean;
  readonly default?: string;
}

/** A Unicode text; lengths in code points. */
export function Text<const O extends TextOptions>(about: string, options: O) {
  const { max, filled } = options;
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', maxLength: max, ...(filled && { minLength: 1 }) }),
    expects: {
      fr: `texte${filled ? ' non vide' : ''} d’au plus ${max} caractères attendu`,
      en: `expected a ${filled ? 'non-empty ' : ''}text of at most ${max} characters`,
    },
    accepts: (value) =>
      isCleanText(value) && codePoints(value) <= max && (!filled || value.trim() !== ''),
  });
}

/**
 * An identifier of the service. A malformed one is not an error of form: it is decoded to an
 * identifier that nothing has, so that it is answered exactly as an unknown one.
 */
export function Id<const O extends Presence>(prefix: IdPrefix, about: string, options?: O) {
  return field<string, O>({
    about,
    options: options ?? ({} as O),
    schema: () => ({ type: 'string', pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` }),
    expects: { fr: 'identifiant attendu', en: 'expected an identifier' },
    accepts: isString,
    convert: (value) => (!isString(value) || isId(prefix, value) ? value : unknownId(prefix)),
  });
}

const emailPattern =
  // eslint-disable-next-line no-control-regex -- refusing control characters is its purpose
  /^[^\s@<>()[\]\\,;:"\u0000-\u001f\u007f]{1,64}@[^\s@<>()[\]\\,;:"\u0000-\u001f\u007f]{1,190}$/u;

/** Whether a text is one plain mail address (no display name, no quoted local part). */
export const isEmail = (value: unknown): value is string =>
  isCleanText(value) && value.length <= 254 && emailPattern.test(value);

/** One mail address, kept in lower case: the service compares addresses without case. */
export function Email<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options: options ?? ({} as O),
    schema: () => ({ type: 'string', format: 'email', maxLength: 254 }),
    expects: { fr: 'adresse électronique attendue', en: 'expected an email address' },
    accepts: isEmail,
    convert: (value) => (isString(value) ? value.toLowerCase() : value),
  });
}

/** True or false. */
export function Flag<const O extends Presence & { default?: boolean }>(about: string, options?: O) {
  return field<boolean, O>({
    about,
    options: options ?? ({} as O),
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

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A moment as ISO 8601 text with an explicit zone; answers are in UTC with milliseconds. */
export function Instant<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options: options ?? ({} as O),
    schema: () => ({ type: 'string', format: 'date-time' }),
    expects: {
      fr: 'date ISO 8601 avec fuseau explicite attendue',
      en: 'expected an ISO 8601 date-time with an explicit zone',
    },
    accepts: (value) =>
      isString(value) && instantPattern.test(value) && !Number.isNaN(Date.parse(value)),
  });
}

/** One of a closed list of words. */
export function OneOf<const V extends readonly string[], const O extends Presence>(
  values: V,
  about: string,
  options?: O & { readonly default?: V[number] },
) {
  const words: readonly string[] = values;
  return field<V[number], O>({
    about,
    options: options ?? ({} as O),
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
    options: options ?? ({} as O),
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

interface ListOptions extends Presence {
  readonly max: number;
}

/** A list of short texts, at most `max` of at most `each` code points. */
export function Texts<const O extends ListOptions & { readonly each: number }>(
  about: string,
  options: O,
) {
  const { max, each } = options;
  return field<string[], O>({
    about,
    options,
    schema: () => ({ type: 'array', maxItems: max, items: { type: 'string', maxLength: each } }),
    expects: {
      fr: `liste d’au plus ${max} textes de 1 à ${each} caractères attendue`,
      en: `expected a list of at most ${max} texts of 1 to ${each} characters`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every((item) => isCleanText(item) && item !== '' && codePoints(item) <= each),
  });
}

/** The whole workspace, or the ids of the members who have access. */
export type MemberAccess = 'workspace' | string[];

/** Who has access: the word `workspace`, or a list of identifiers. */
export function Access<const O extends Presence & { readonly default?: MemberAccess }>(
  prefix: IdPrefix,
  about: string,
  options?: O,
) {
  return field<MemberAccess, O>({
    about,
    options: options ?? ({} as O),
    schema: () => ({
      oneOf: [
        { type: 'string', const: 'workspace' },
        { type: 'array', maxItems: 1000, items: { type: 'string' } },
      ],
    }),
    expects: {
      fr: '« workspace » ou une liste d’identifiants attendue',
      en: 'expected "workspace" or a list of identifiers',
    },
    accepts: (value) =>
      value === 'workspace' ||
      (Array.isArray(value) &&
        value.length <= 1000 &&
        value.every((id) => isString(id) && isId(prefix, id))),
  });
}

/** A nested object of the contract. */
export function Part<P extends object, const O extends Presence>(
  dto: () => Dto<P>,
  about: string,
  options?: O,
) {
  return field<P, O>({
    about,
    options: options ?? ({} as O),
    schema: () => jsonSchema(dto()),
    expects: { fr: 'objet attendu', en: 'expected an object' },
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    part: dto,
  });
}

/** A list of at most `max` nested objects of the contract. */
export function ListOf<P extends object, const O extends ListOptions>(
  dto: () => Dto<P>,
  about: string,
  options: O,
) {
  const { max } = options;
  return field<P[], O>({
    about,
    options,
    schema: () => ({ type: 'array', maxItems: max, items: jsonSchema(dto()) }),
    expects: {
      fr: `liste d’au plus ${max} objets attendue`,
      en: `expected a list of at most ${max} objects`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item)),
    part: dto,
    list: true,
  });
}

export type { FieldDecorator };
