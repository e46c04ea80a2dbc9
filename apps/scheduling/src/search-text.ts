import { streamSafe } from '@postroom/contracts';

/** Words of a query beyond which the rest is not looked at. */
const wordsMax = 20;

/** A text as it is compared: without letter case and accents. */
export const folded = (text: string): string =>
  streamSafe(text).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Patterns of LIKE, each for a word of a query. */
export const patternsOf = (query: string): readonly string[] =>
  folded(query)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, wordsMax)
    .map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
