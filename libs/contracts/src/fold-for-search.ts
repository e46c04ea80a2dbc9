import { streamSafe } from './same-text.js';

/**
 * Accents: of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowels. Not the voicing marks of
 * Japanese, nor the vowels of Indic scripts, which make other words. And what shows nothing, the Arabic
 * stretching of a line among it.
 */
const marks =
  /(?:(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]|[\u0640\p{Default_Ignorable_Code_Point}])+/gu;

/** Letters that Unicode does not take apart, as people type them on a keyboard without them. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  œ: 'oe',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ŧ: 't',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  ʼ: "'",
};
const special = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

const plain = /^[a-z0-9]*$/;

/**
 * A text as every search compares it (contacts, mail, tasks): without letter case, accents, width and what
 * shows nothing; what compatibility forms hide (ﬁ, Ａ, ½) is spelled out, white space is one space inside and
 * none at the ends. Folded again it is the same.
 */
export function foldForSearch(text: string): string {
  const lower = text.toLowerCase();
  if (plain.test(lower)) return lower;
  return streamSafe(lower)
    .normalize('NFKD')
    .replace(marks, '')
    .toLowerCase()
    .replace(special, (letter) => letters[letter] ?? letter)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Words of a query beyond which the rest is not looked at. */
const wordsMax = 20;

/** The words of a query, folded: what is found has each of them somewhere. */
export const searchWords = (query: string): readonly string[] =>
  foldForSearch(query)
    .split(' ')
    .filter((word) => word !== '')
    .slice(0, wordsMax);
