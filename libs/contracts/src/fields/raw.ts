import { field, type Presence } from './field.js';
import { codePoints, isCleanText } from './values.js';

/** A request header that the operation reads itself, as it came. */
export function HeaderValue<const O extends Presence & { readonly max: number }>(
  header: string,
  about: string,
  options: O,
) {
  const { max } = options;
  return field<string, O>({
    about,
    options,
    header,
    schema: () => ({ type: 'string', maxLength: max }),
    expects: {
      fr: `au plus ${max} caractères attendus`,
      en: `expected at most ${max} characters`,
    },
    accepts: (value) => isCleanText(value) && codePoints(value) <= max,
  });
}

/** The text of a whole body, whatever it is; it is empty where the bytes are no UTF-8, or hold a NUL. */
export function RawBody(about: string, { max }: { readonly max: number }) {
  return field<string, Presence>({
    about,
    options: {},
    schema: () => ({ type: 'string', maxLength: max }),
    expects: { fr: 'texte attendu', en: 'expected a text' },
    accepts: (value) => isCleanText(value) && codePoints(value) <= max,
    convert: (value) => (typeof value === 'string' && !isCleanText(value) ? '' : value),
  });
}
