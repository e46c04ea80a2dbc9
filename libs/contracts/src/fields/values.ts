/** Raw values by name: an object of a JSON body, path and query parameters. */
export type RawValues = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is RawValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isString = (value: unknown): value is string => typeof value === 'string';

/**
 * What PostgreSQL can keep and JSON can carry: no NUL, no lone surrogate. Anything else is refused
 * where it comes in, because it would fail (or change silently) where it is stored.
 */
export const isCleanText = (value: unknown): value is string =>
  isString(value) && !value.includes('\u0000') && value.isWellFormed();

/** Length in Unicode code points (`decisions.md` §1), without building an array of them. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
};
