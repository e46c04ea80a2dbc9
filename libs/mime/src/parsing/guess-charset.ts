import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

const guessedBytesMax = 16 * 1024;
/** The charset that browsers take for text that says nothing. */
const fallback = 'windows-1252';

/**
 * Charsets of two bytes a character: how their usual characters look, and those of them that must make up a share
 * of a text. They are tried in this order.
 */
const wide: readonly (readonly [string, RegExp, RegExp, number])[] = [
  [
    'shift_jis',
    /\x82[\x4f-\xf1]|\x83[\x40-\x96]|\x81[\x40-\xac]|[\x88-\x9f\xe0-\xea][\x40-\x7e\x80-\xfc]/g,
    /\x82[\x9f-\xf1]|\x83[\x40-\x96]/g,
    0.2,
  ],
  [
    'euc-jp',
    /[\xa4\xa5][\xa1-\xf6]|[\xa1\xa3][\xa1-\xfe]|[\xb0-\xf4][\xa1-\xfe]/g,
    /[\xa4\xa5][\xa1-\xf6]/g,
    0.2,
  ],
  ['euc-kr', /[\xb0-\xc8][\xa1-\xfe]|[\xa1\xa3][\xa1-\xfe]/g, /[\xb0-\xc8][\xa1-\xfe]/g, 0.75],
  ['gb18030', /[\xb0-\xd7][\xa1-\xfe]|[\xa1\xa3][\xa1-\xfe]/g, /[\xb0-\xd7][\xa1-\xfe]/g, 0.75],
  [
    'big5',
    /[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|\xa1[\x40-\x7e]/g,
    /[\xa4-\xc6][\x40-\x7e\xa1-\xfe]/g,
    0.75,
  ],
];

/** Charsets of one byte a letter: how a word is written, and the ten most frequent letters. */
const narrow: readonly (readonly [string, RegExp, RegExp])[] = [
  [
    'windows-1251',
    /^[\xc0-\xdf\xa8]?[\xe0-\xff\xb8]+$/,
    /[\xee\xe5\xe0\xe8\xed\xf2\xf1\xf0\xe2\xeb]/g,
  ],
  ['koi8-r', /^[\xe0-\xff\xb3]?[\xc0-\xdf\xa3]+$/, /[\xcf\xc5\xc1\xc9\xce\xd4\xd3\xd2\xd7\xcc]/g],
  [
    'ibm866',
    /^[\x80-\x9f\xf0]?[\xa0-\xaf\xe0-\xef\xf1]+$/,
    /[\xae\xa5\xa0\xa8\xad\xe2\xe1\xe0\xa2\xab]/g,
  ],
  [
    'iso-8859-5',
    /^[\xb0-\xcf\xa1]?[\xd0-\xef\xf1]+$/,
    /[\xde\xd5\xd0\xd8\xdd\xe2\xe1\xe0\xd2\xdb]/g,
  ],
  ['windows-1253', /^[\xa2\xb8-\xdb]?[\xdc-\xfe]+$/, /[\xe1\xef\xe9\xe5\xf4\xf3\xed\xe7\xf5\xf1]/g],
];

/**
 * The charset that bytes without one look like: UTF-8 if they are, the Japanese escapes, and for text of long
 * runs beyond ASCII the charset whose usual characters these are. All else is windows-1252, as browsers take it.
 */
export function guessedCharset(bytes: Uint8Array): string {
  const start = bytes.subarray(0, guessedBytesMax);
  const text = Buffer.from(start).toString('latin1');
  if (isAscii(bytes)) return escapedCharset(text);
  if (isUtf8(bytes) || isUtf8(withoutCutCharacter(bytes))) return 'utf-8';
  const runs = text.match(/[\x80-\xff]{2,}/g) ?? [];
  const high = countOf(text, /[\x80-\xff]/g);
  // Letters with accents stand alone among others; in other scripts all letters are beyond ASCII.
  if (runs.join('').length < high * 0.6 || high < 4) return fallback;
  return wideCharset(start, text) ?? narrowCharset(runs) ?? fallback;
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The bytes of a text that may have been cut within a character of UTF-8, without that. */
export function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80) return bytes;
  }
  return bytes;
}

/** ISO 2022 (RFC 1468, RFC 1557): escapes, in seven bits. */
function escapedCharset(text: string): string {
  if (text.includes('\x1b$)C')) return 'iso-2022-kr';
  // oxlint-disable-next-line no-control-regex -- the control is the escape
  return /\x1b(?:\$[@B]|\([JI])/.test(text) ? 'iso-2022-jp' : 'utf-8';
}

/** Pairs of bytes and single ones, as every charset of two bytes has them. */
const characters = /[\x80-\xff][\x40-\xff]?/g;

function wideCharset(bytes: Uint8Array, text: string): string | null {
  const all = countOf(text, characters);
  const found = wide.find(
    ([charset, usual, own, share]) =>
      countOf(text, own) >= all * share &&
      countOf(text, usual) >= all * 0.95 &&
      canDecode(bytes, charset),
  );
  return found?.[0] ?? null;
}

/** True if bytes are text of a charset, which may have been cut within a character. */
function canDecode(bytes: Uint8Array, charset: string): boolean {
  return [0, 1, 2, 3].some((cut) => {
    try {
      new TextDecoder(charset, { fatal: true }).decode(bytes.subarray(0, bytes.length - cut));
      return true;
    } catch {
      return false;
    }
  });
}

function narrowCharset(runs: readonly string[]): string | null {
  const letters = runs.join('');
  let best: readonly [string, number] = ['', 0.45];
  for (const [charset, word, frequent] of narrow) {
    const words = runs.filter((run) => word.test(run)).join('').length;
    const share = countOf(letters, frequent) / letters.length;
    if (words >= letters.length * 0.8 && share > best[1]) best = [charset, share];
  }
  return best[0] || null;
}
