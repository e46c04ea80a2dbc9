import { field } from './field.js';
import { codePoints, emailMax, isCleanText, isEmail } from './values.js';

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
