import { idPattern, isId, unknownId, type IdPrefix } from '../ids.js';
import { field, type Presence } from './field.js';
import { isString } from './values.js';

export const idSchema = (prefix: IdPrefix) => ({
  type: 'string',
  maxLength: 30,
  pattern: idPattern(prefix),
});

interface IdOptions extends Presence {
  /** It is stored: a malformed one is refused, and one that the caller does not see. */
  readonly refersTo?: 'team' | 'conversation';
}

/**
 * An identifier of the service. A malformed one is not an error of form: it is decoded to an
 * identifier that nothing has, so that it is answered exactly as an unknown one. One that is
 * stored with something else has to be well formed, or two malformed ones would be the same.
 */
export function Id<const O extends IdOptions>(prefix: IdPrefix, about: string, options?: O) {
  const refersTo = options?.refersTo;
  return field<string, O>({
    about,
    options,
    schema: () => idSchema(prefix),
    expects: { fr: 'identifiant attendu', en: 'expected an identifier' },
    accepts: refersTo ? (value) => isString(value) && isId(prefix, value) : isString,
    ...(refersTo
      ? { refersTo }
      : {
          convert: (value) => (!isString(value) || isId(prefix, value) ? value : unknownId(prefix)),
        }),
  });
}

/** A team of the workspace: the gateway refuses one that is not there. */
export function TeamId<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => idSchema('tea'),
    expects: { fr: 'identifiant attendu', en: 'expected an identifier' },
    accepts: isString,
    convert: (value) => (!isString(value) || isId('tea', value) ? value : unknownId('tea')),
    refersTo: 'team',
  });
}
