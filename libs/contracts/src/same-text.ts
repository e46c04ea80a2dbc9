/** Joiners, soft hyphens, variation selectors …: Unicode's caseless match leaves them out too. */
const unseen = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * A text as it is compared: two texts are the same when they differ only in white space at the ends, in the
 * amount or kind of white space inside, in letter case, in width, in how their characters are composed, or in
 * characters that show nothing. Trimmed, white space collapsed, then Unicode's compatibility caseless match
 * (The Unicode Standard §3.13, D146: NFKC with full case folding), so that `Straße`, `STRASSE` and `ＳＴＲＡＳＳＥ`
 * are one. Accents count, and so does the dotless ı. If a letter has more marks than any text has, the first
 * count: a text of marks alone would take the square of its length.
 */
export const sameText = (text: string): string =>
  caseless(caseless(streamSafe(text.replaceAll(unseen, '')).normalize('NFD')).normalize('NFKD'))
    .normalize('NFKC')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/**
 * Full case folding, which JavaScript lacks: down, up and down again brings every letter of a kind to
 * one. But ı, which has i's capital and is folded to itself, and final sigma, which lower-casing makes.
 */
const caseless = (text: string): string =>
  text
    .replaceAll(/[^ı]+/gu, (part) => part.toLowerCase().toUpperCase().toLowerCase())
    .replaceAll('ς', 'σ');

/**
 * Marks beyond those that any text stacks on a letter, and the half-width sound marks of Katakana, which
 * compatibility forms make into marks.
 */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * A text that is normalised in time that grows with its length: normalisation puts marks in order, which takes
 * the square of their number. As Unicode Standard Annex #15 §13 says it (Stream-Safe Text), but that the marks
 * beyond are left out. Characters that show nothing and will be dropped are dropped before.
 */
export const streamSafe = (text: string): string => text.replaceAll(manyMarks, '$1');
