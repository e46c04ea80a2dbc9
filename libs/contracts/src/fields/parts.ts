import { field, type ListOptions, type Presence } from './field.js';
import type { Dto } from './field-facts.js';
import { isCleanText, isRecord } from './values.js';

/** A nested object of the contract. */
export function Part<P extends object, const O extends Presence>(
  dto: () => Dto<P>,
  about: string,
  options?: O,
) {
  return field<P, O>({
    about,
    options,
    schema: (nested) => nested(dto()),
    expects: { fr: 'objet attendu', en: 'expected an object' },
    accepts: isRecord,
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
    schema: (nested) => ({ type: 'array', maxItems: max, items: nested(dto()) }),
    expects: {
      fr: `liste d’au plus ${max} objets attendue`,
      en: `expected a list of at most ${max} objects`,
    },
    accepts: (value) => Array.isArray(value) && value.length <= max && value.every(isRecord),
    part: dto,
    list: true,
  });
}

/** Levels of objects and lists in each other; nothing that we answer or take has as many. */
const depthMax = 64;

/** True if PostgreSQL can store a JSON value: no NUL and no half of a surrogate pair in it. */
function isStorable(value: unknown, depth = depthMax): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.entries(value).every(
    ([name, inner]) => isCleanText(name) && isStorable(inner, depth - 1),
  );
}

/** A JSON object whose members are those of something else: an input, an answer, a resource. */
export function JsonObject<const O extends Presence>(about: string, options?: O) {
  return field<Readonly<Record<string, unknown>>, O>({
    about,
    options,
    schema: () => ({ type: 'object' }),
    expects: { fr: 'objet JSON attendu', en: 'expected a JSON object' },
    accepts: (value) => isRecord(value) && isStorable(value),
  });
}
