import { field, type ListOptions, type Presence } from './field.js';
import { codePoints, isCleanText, isString } from './values.js';

const labelMax = 128;

const controls = String.raw`\u0000-\u001f\u007f-\u009f`;
/**
 * White space, and what is drawn as nothing (Unicode's Default_Ignorable_Code_Point, in ranges, since
 * not every reader of the published schema knows it by name): a label of these alone is not seen.
 */
const unseen =
  String.raw`\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8` +
  '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';
const pattern = `^[^${controls}]*[^${controls}${unseen}][^${controls}]*$`;
// eslint-disable-next-line no-misleading-character-class -- ranges of what combines are meant
const form = new RegExp(pattern, 'u');

const isLabel = (value: unknown): value is string =>
  isCleanText(value) && codePoints(value) <= labelMax && form.test(value);

/** White space at the ends and between words is no part of how a label is written. */
const tidy = (value: unknown): unknown =>
  isLabel(value) ? value.replaceAll(/\s+/gu, ' ').trim() : value;

const labelSchema = { type: 'string', minLength: 1, maxLength: labelMax, pattern };

/**
 * A label: 1 to 128 code points, something to see among them, no control characters; white space at
 * the ends is dropped, inside it is one space. `sameText` tells whether two are the same.
 */
export function Label<const O extends Presence>(about: string, options?: O) {
  return field<string, O>({
    about,
    options,
    schema: () => labelSchema,
    expects: {
      fr: `étiquette de 1 à ${labelMax} caractères, sans caractère de contrôle, attendue`,
      en: `expected a label of 1 to ${labelMax} characters without control characters`,
    },
    accepts: isLabel,
    convert: tidy,
  });
}

/** A list of at most `max` labels. */
export function Labels<const O extends ListOptions & { readonly default?: readonly string[] }>(
  about: string,
  options: O,
) {
  const { max } = options;
  return field<string[], O>({
    about,
    options,
    schema: () => ({ type: 'array', maxItems: max, items: labelSchema }),
    expects: {
      fr: `liste d’au plus ${max} étiquettes de 1 à ${labelMax} caractères, sans caractère de contrôle, attendue`,
      en: `expected a list of at most ${max} labels of 1 to ${labelMax} characters without control characters`,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every((one) => isString(one) && isLabel(one)),
    convert: (value) => (Array.isArray(value) && value.length <= max ? value.map(tidy) : value),
  });
}
