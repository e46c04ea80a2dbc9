import { field, type Presence } from './field.js';
import { codePoints, isCleanText } from './values.js';

const linkMax = 2000;
const pattern = String.raw`^[hH][tT][tT][pP][sS]?://[^\s]+$`;
const form = new RegExp(pattern, 'u');

/** A link that a browser opens as a page: `http:` or `https:` and nothing else. */
export function WebLink<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', maxLength: linkMax, pattern }),
    expects: {
      fr: 'lien commençant par http:// ou https:// attendu',
      en: 'expected a link that starts with http:// or https://',
    },
    accepts: (value) => isCleanText(value) && codePoints(value) <= linkMax && form.test(value),
  });
}
