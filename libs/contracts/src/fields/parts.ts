import { field, type ListOptions, type Presence } from './field.js';
import type { Dto } from './registry.js';
import { isRecord } from './values.js';

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
