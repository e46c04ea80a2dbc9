import { idPattern, isId, unknownId, type IdPrefix } from '../ids.js';
import { field, type Presence } from './field.js';
import { isString } from './values.js';

const idSchema = (prefix: IdPrefix) => ({
  type: 'string',
  maxLength: 30,
  pattern: idPattern(prefix),
});

/**
 * An identifier of the service. A malformed one is not an error of form: it is decoded to an
 * identifier that nothing has, so that it is answered exactly as an unknown one.
 */
export function Id<const O extends Presence>(prefix: IdPrefix, about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => idSchema(prefix),
    expects: { fr: 'identifiant attendu', en: 'expected an identifier' },
    accepts: isString,
    convert: (value) => (!isString(value) || isId(prefix, value) ? value : unknownId(prefix)),
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
    options,
    schema: () => ({
      oneOf: [
        { type: 'string', const: 'workspace' },
        { type: 'array', uniqueItems: true, maxItems: 1000, items: idSchema(prefix) },
      ],
    }),
    expects: {
      fr: '« workspace » ou une liste sans répétition d’identifiants attendue',
      en: 'expected "workspace" or a list, without repetition, of identifiers',
    },
    accepts: (value) =>
      value === 'workspace' ||
      (Array.isArray(value) &&
        value.length <= 1000 &&
        value.every((id) => isString(id) && isId(prefix, id)) &&
        new Set(value).size === value.length),
    ...(prefix === 'mbr' && { namesMembers: true }),
  });
}
