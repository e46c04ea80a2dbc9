/**
 * Controls, format characters (those that hide text or turn its direction among them), private and unassigned
 * ones, lone surrogates, line separators, and every space but the plain one.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const spelt = (text: string): string =>
  text.replaceAll(hidden, (character) => {
    if (character === '\n') return '\\n';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });

/**
 * A text that a stranger or an agent has written, as a terminal may print it: what cannot be seen is spelt
 * out, so that nothing is hidden and nothing is interpreted. A backslash of its own is doubled, so that it does
 * not look like something that was spelt out.
 */
export const visibleText = (text: string): string => spelt(text.replaceAll('\\', '\\\\'));

/** A value of JSON in one line: texts as they are, anything else as JSON, which doubles backslashes itself. */
export const visibleValue = (value: unknown): string => {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? visibleText(value) : spelt(JSON.stringify(value));
};
