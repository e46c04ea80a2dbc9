import { field, type Presence } from './field.js';
import type { TextOptions } from './text.js';
import { isAtMost, controls, hasControls, isCleanText, isString } from './values.js';

const headerPattern = `^[^${controls}]*$`;

/** A text that becomes a header's: no control, so that no line of it ends before its time. */
export function HeaderText<const O extends TextOptions>(about: string, options: O) {
  const { max, filled } = options;
  return field<string, O>({
    about,
    options,
    schema: () => ({
      type: 'string',
      maxLength: max,
      pattern: filled
        ? String.raw`^[^${controls}]*[^${controls}\s][^${controls}]*$`
        : headerPattern,
    }),
    expects: {
      fr: `texte${filled ? ' non vide' : ''} d’au plus ${max} caractères, sans caractère de contrôle, attendu`,
      en: `expected a ${filled ? 'non-empty ' : ''}text of at most ${max} characters without control characters`,
    },
    accepts: (value) =>
      isCleanText(value) &&
      isAtMost(value, max) &&
      !hasControls(value) &&
      (!filled || value.trim() !== ''),
  });
}

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
    accepts: (value) => isCleanText(value) && isAtMost(value, max),
  });
}

/** The text of a whole body, whatever it is; it is empty where the bytes are no UTF-8, or hold a NUL. */
export function RawBody(about: string, { max }: { readonly max: number }) {
  return field<string, Presence>({
    about,
    options: {},
    schema: () => ({ type: 'string', maxLength: max }),
    expects: { fr: 'texte attendu', en: 'expected a text' },
    accepts: (value) => isCleanText(value) && isAtMost(value, max),
    convert: (value) => (typeof value === 'string' && !isCleanText(value) ? '' : value),
  });
}

/** Code points of a link. */
export const linkMax = 2000;
const linkPattern = String.raw`^[hH][tT][tT][pP][sS]?://[^\s]+$`;
const linkForm = new RegExp(linkPattern, 'u');

/** True for a link that a browser opens as a page. */
export const isWebLink = (value: unknown): value is string =>
  isCleanText(value) && isAtMost(value, linkMax) && linkForm.test(value);

/** A link that a browser opens as a page: `http:` or `https:` and nothing else. */
export function WebLink<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => ({ type: 'string', maxLength: linkMax, pattern: linkPattern }),
    expects: {
      fr: 'lien commençant par http:// ou https:// attendu',
      en: 'expected a link that starts with http:// or https://',
    },
    accepts: isWebLink,
  });
}

/** Base64url (RFC 4648 §5) of what is at least a MAC. */
const tokenPattern = '^(?:[A-Za-z0-9_-]{4}){5,499}[A-Za-z0-9_-]{2,4}$';
const tokenForm = new RegExp(tokenPattern);

/**
 * The position where a list goes on: the token that the page before answered. Its form is judged with the other
 * parameters, so that a text that can be no token is refused before the mailbox is looked at; the service that
 * made it checks that it is one of this query (`INVALID_PAGE_TOKEN`).
 */
export function PageToken() {
  return field<string, { optional: true }>({
    about: '`nextPageToken` of the page before.',
    options: { optional: true },
    schema: () => ({ type: 'string', maxLength: 2000, pattern: tokenPattern }),
    expects: { fr: 'jeton de la page précédente attendu', en: 'expected the token of a page' },
    accepts: (value) => isString(value) && tokenForm.test(value),
  });
}
