/**
 * Marks beyond those that any text stacks on a letter, and the half-width sound marks of Katakana, which
 * compatibility forms make into marks.
 */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * A text that is normalised in time that grows with its length: normalisation puts marks in order, which
 * takes the square of their number. As Unicode Standard Annex #15 §13 says it (Stream-Safe Text), but that
 * the marks beyond are left out. What shows nothing and will be dropped is dropped before.
 */
export const streamSafe = (text: string): string => text.replaceAll(manyMarks, '$1');
