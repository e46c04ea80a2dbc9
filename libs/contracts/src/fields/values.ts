/** Control characters, for a character class. */
export const controls = String.raw`\u0000-\u001f\u007f-\u009f`;
/**
 * White space, and what is drawn as nothing (Unicode's Default_Ignorable_Code_Point, in ranges, since
 * not every reader of the published schema knows it by name), for a character class: a text of these
 * alone is not seen. Published patterns have the characters up to U+FFFF alone: only the `u` flag reads others.
 */
export const unseenOfPlane0 = String.raw`\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8`;
/** The others of them, which are refused alone too. */
export const unseenOfOtherPlanes = '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';
const unseen = unseenOfPlane0 + unseenOfOtherPlanes;

const control = new RegExp(`[${controls}]`, 'u');
const seen = new RegExp(`[^${controls}${unseen}]`, 'u');

/** True if a text has control characters, line ends among them. */
export const hasControls = (text: string): boolean => control.test(text);

/** True if a reader sees anything of a text. */
export const isVisible = (text: string): boolean => seen.test(text);

/** Raw values by name: an object of a JSON body, path and query parameters. */
export type RawValues = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is RawValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isString = (value: unknown): value is string => typeof value === 'string';

/**
 * True for a text that PostgreSQL can store and JSON can carry: no NUL, no lone surrogate. Anything else is
 * refused where it comes in, because it would fail (or change silently) where it is stored.
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

/** True for a text of so many code points at most: that of most texts is told by their length, without counting. */
export const isAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && codePoints(text) <= max);

// White space, controls and the separators of address lists. İ too: the one letter whose lower case
// is two code points, so that lower-casing never changes a length that was checked.
const notInAddress = String.raw`\s@<>()\[\]\\,;:"${controls}\u0130`;
const label = `[^.${notInAddress}]{1,63}`;
const emailPattern = new RegExp(`^[^${notInAddress}]{1,64}@${label}(\\.${label})*$`, 'u');
/** Characters of a mail address. */
export const emailMax = 254;

/**
 * True for one plain mail address: no display name, no quoted local part. Letters beyond ASCII are addresses
 * too (RFC 6531).
 */
export const isEmail = (value: unknown): value is string =>
  isCleanText(value) && codePoints(value) <= emailMax && emailPattern.test(value);
