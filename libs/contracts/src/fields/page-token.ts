import { field } from './field.js';
import { isString } from './values.js';

/** Base64url (RFC 4648 §5) of what is at least a MAC. */
const pattern = '^(?:[A-Za-z0-9_-]{4}){5,499}[A-Za-z0-9_-]{2,4}$';
const form = new RegExp(pattern);

/**
 * Where a list goes on: what the page before answered. Its form is judged with the other parameters,
 * so that what can be no token is refused before the mailbox is looked at; whether it is one of this
 * query, the service knows that has made it (`INVALID_PAGE_TOKEN`).
 */
export function PageToken() {
  return field<string, { optional: true }>({
    about: '`nextPageToken` of the page before.',
    options: { optional: true },
    schema: () => ({ type: 'string', maxLength: 2000, pattern }),
    expects: { fr: 'jeton de la page précédente attendu', en: 'expected the token of a page' },
    accepts: (value) => isString(value) && form.test(value),
  });
}
