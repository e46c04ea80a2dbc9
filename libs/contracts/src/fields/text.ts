import { field, type Presence } from './field.js';
import type { Violation } from './faults.js';
import { isAtMost, isCleanText, isVisible } from './values.js';

export interface TextOptions extends Presence {
  /** Code points. */
  readonly max: number;
  /** Refuse a text of white space only, as if it were missing. */
  readonly filled?: boolean;
  readonly default?: string;
}

/** A Unicode text; lengths in code points. */
export function Text<const O extends TextOptions>(about: string, options: O) {
  const { max, filled } = options;
  return field<string, O>({
    about,
    options,
    schema: () => ({
      type: 'string',
      maxLength: max,
      ...(filled && { minLength: 1, pattern: '\\S' }),
    }),
    expects: {
      fr: `texte${filled ? ' non vide' : ''} d’au plus ${max} caractères attendu`,
      en: `expected a ${filled ? 'non-empty ' : ''}text of at most ${max} characters`,
    },
    accepts: (value) =>
      isCleanText(value) && isAtMost(value, max) && (!filled || value.trim() !== ''),
  });
}

const visibleExpected = {
  fr: 'texte visible attendu',
  en: 'expected a text of which something is seen',
};

/** The fault of a text that is given, and of which nothing is seen. */
export const unseenFaults = (field: string, text: string | undefined): readonly Violation[] =>
  text === undefined || isVisible(text)
    ? []
    : [{ field, fault: 'REQUIRED', message: visibleExpected }];

/** The rule of an operation that something is seen of the text in a field. */
export const isSeen =
  <K extends string>(field: K) =>
  (input: { readonly [N in K]?: string }): readonly Violation[] =>
    unseenFaults(field, input[field]);
