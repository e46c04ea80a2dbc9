/**
 * Controls, format characters (those that hide text or turn its direction among them), private and unassigned
 * ones, lone surrogates, line separators, and every space but the plain one.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/**
 * A text that a stranger or an agent has written, as a terminal may print it: what cannot be seen is spelt
 * out, so that nothing is hidden and nothing is interpreted.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(hidden, (character) => {
    if (character === '\n') return '\\n';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });

/** A value of JSON in one line: texts as they are, anything else as JSON. */
export const visibleValue = (value: unknown): string =>
  value === undefined
    ? 'absent'
    : visibleText(typeof value === 'string' ? value : JSON.stringify(value));
