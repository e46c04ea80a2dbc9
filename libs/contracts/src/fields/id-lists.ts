import { isId, type IdPrefix } from '../ids.js';
import { field, type ListOptions } from './field.js';
import { idSchema } from './id.js';
import { isString } from './values.js';

/** True for a list of at most `max` identifiers, each well formed and there once. */
export const isIdList = (prefix: IdPrefix, value: unknown, max: number): boolean =>
  Array.isArray(value) &&
  value.length <= max &&
  value.every((id) => isString(id) && isId(prefix, id)) &&
  new Set(value).size === value.length;

/** At most `max` identifiers of the service, each once. */
export function Ids<const O extends ListOptions & { readonly default?: readonly string[] }>(
  prefix: IdPrefix,
  about: string,
  options: O,
) {
  const { max } = options;
  return field<string[], O>({
    about,
    options,
    schema: () => ({ type: 'array', uniqueItems: true, maxItems: max, items: idSchema(prefix) }),
    expects: {
      fr: `liste sans répétition d’au plus ${max} identifiants attendue`,
      en: `expected a list, without repetition, of at most ${max} identifiers`,
    },
    accepts: (value) => isIdList(prefix, value, max),
  });
}
