import { field, type Presence } from './field.js';
import { codePoints, isCleanText } from './values.js';
import { controls, hasControls } from './visible.js';

interface HeaderTextOptions extends Presence {
  /** Code points. */
  readonly max: number;
  /** Refuse a text of white space only, as if it were missing. */
  readonly filled?: boolean;
  readonly default?: string;
}

const pattern = `^[^${controls}]*$`;

/** A text that becomes a header's: no control, so that no line of it ends before its time. */
export function HeaderText<const O extends HeaderTextOptions>(about: string, options: O) {
  const { max, filled } = options;
  return field<string, O>({
    about,
    options,
    schema: () => ({
      type: 'string',
      maxLength: max,
      pattern: filled ? String.raw`^[^${controls}]*[^${controls}\s][^${controls}]*$` : pattern,
    }),
    expects: {
      fr: `texte${filled ? ' non vide' : ''} d’au plus ${max} caractères, sans caractère de contrôle, attendu`,
      en: `expected a ${filled ? 'non-empty ' : ''}text of at most ${max} characters without control characters`,
    },
    accepts: (value) =>
      isCleanText(value) &&
      codePoints(value) <= max &&
      !hasControls(value) &&
      (!filled || value.trim() !== ''),
  });
}
