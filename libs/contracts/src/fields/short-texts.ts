import { field, type ListOptions, type Presence } from './field.js';
import {
  isAtMost,
  controls,
  hasControls,
  isCleanText,
  isString,
  isVisible,
  unseenOfPlane0,
} from './values.js';

/** Definition of a list of short texts, whatever is made of it. */
export const textList = ({ max, each }: ListOptions & { readonly each: number }) => ({
  schema: () => ({
    type: 'array',
    maxItems: max,
    items: { type: 'string', minLength: 1, maxLength: each },
  }),
  expects: {
    fr: `liste d’au plus ${max} textes de 1 à ${each} caractères attendue`,
    en: `expected a list of at most ${max} texts of 1 to ${each} characters`,
  },
  accepts: (value: unknown): value is string[] =>
    Array.isArray(value) &&
    value.length <= max &&
    value.every((item) => isCleanText(item) && item !== '' && isAtMost(item, each)),
});

/** A list of short texts, at most `max` of at most `each` code points. */
export function Texts<const O extends ListOptions & { readonly each: number }>(
  about: string,
  options: O,
) {
  return field<string[], O>({ about, options, ...textList(options) });
}

const labelMax = 128;

const labelPattern = `^[^${controls}]*[^${controls}${unseenOfPlane0}][^${controls}]*$`;

const isLabel = (value: unknown): value is string =>
  isCleanText(value) && isAtMost(value, labelMax) && !hasControls(value) && isVisible(value);

/** White space at the ends and between words is no part of how a label is written. */
const tidy = (value: unknown): unknown =>
  isLabel(value) ? value.replaceAll(/\s+/gu, ' ').trim() : value;

const labelSchema = { type: 'string', minLength: 1, maxLength: labelMax, pattern: labelPattern };

/**
 * A label: 1 to 128 code points, something to see among them, no control characters; white space at the ends is
 * dropped, inside it is one space. `sameText` compares two.
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
