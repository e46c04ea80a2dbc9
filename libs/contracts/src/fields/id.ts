import { idPattern, isId, unknownId, type IdPrefix } from '../ids.js';
import { field, type Presence } from './field.js';
import { codePoints, emailMax, isCleanText, isEmail, isString } from './values.js';

export const idSchema = (prefix: IdPrefix) => ({
  type: 'string',
  maxLength: 30,
  pattern: idPattern(prefix),
});

const expects = { fr: 'identifiant attendu', en: 'expected an identifier' };

const unknownIfMalformed =
  (prefix: IdPrefix) =>
  (value: unknown): unknown =>
    !isString(value) || isId(prefix, value) ? value : unknownId(prefix);

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
    expects,
    accepts: refersTo ? (value) => isString(value) && isId(prefix, value) : isString,
    ...(refersTo ? { refersTo } : { convert: unknownIfMalformed(prefix) }),
  });
}

/** A team of the workspace: the gateway refuses one that is not there. */
export function TeamId<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => idSchema('tea'),
    expects,
    accepts: isString,
    convert: unknownIfMalformed('tea'),
    refersTo: 'team',
  });
}

/**
 * The mailbox an operation is about, kept in lower case. Any text names one: any but the address of a
 * mailbox is a mailbox that was not granted (403), not an error of form (public-api.md §4.1).
 */
export function MailboxName(about: string) {
  return field<string, object>({
    about,
    options: {},
    schema: () => ({ type: 'string', minLength: 1, pattern: '\\S', maxLength: emailMax }),
    expects: { fr: 'adresse de boîte attendue', en: 'expected the address of a mailbox' },
    accepts: (value) => isCleanText(value) && codePoints(value) <= emailMax && value.trim() !== '',
    convert: (value) => (isEmail(value) ? value.toLowerCase() : value),
  });
}
