import { describe, expect, it } from '@jest/globals';
import { entryBytesMax } from '@postroom/contracts';
import { filled, growthOf } from '@postroom/testing';
import { readEntry } from './given-entry.js';
import { readCsv, tableOf } from './csv.js';
import { readVcard } from './read-vcard.js';
import { Unreadable } from './vcard-text.js';

/** As the import reads it: what it refuses costs too. */
function read(entry: () => ReturnType<typeof readVcard>): void {
  try {
    readEntry(entry());
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
}

type CardOf = (length: number) => Buffer;

const cardOfVersion =
  (version: string) =>
  (before: string, part: Parameters<typeof filled>[0], after = ''): CardOf =>
  (length) => {
    const long = `${before}${filled(part, length)}${after}`;
    return Buffer.from(`BEGIN:VCARD\r\nVERSION:${version}\r\nFN:A\r\n${long}\r\nEND:VCARD\r\n`);
  };
const card = cardOfVersion('3.0');
const oldCard = cardOfVersion('2.1');
const numbered = (i: number): string => String(i).padStart(6, '0');

/** Cards of which one thing is as long as an entry may be. */
const cards: readonly (readonly [string, CardOf])[] = [
  ['a name', card('N:', 'a')],
  ['a name of many parts', card('N:', ';')],
  ['a name of many values', card('N:', 'a,')],
  ['a name of backslashes', card('N:', '\\')],
  ['a name of escapes', card('N:', '\\;')],
  ['a name of marks', card('FN:a', '\u0301\u0316')],
  ['a note of escapes', card('NOTE:', '\\n')],
  ['a note of emoji', card('NOTE:', '😀')],
  ['many notes', card('', 'NOTE:a\r\n')],
  ['groups', card('CATEGORIES:', 'a,')],
  ['groups of their own', card('CATEGORIES:', (i) => `${numbered(i)},`)],
  ['a group of marks', card('CATEGORIES:a', '\u0301\u0316')],
  ['a group of letters that fold', card('CATEGORIES:', 'ß')],
  ['parameters', card('EMAIL', ';TYPE=a', ':a@b.example')],
  ['parameters of many values', card('EMAIL;TYPE=', 'a,', ':a@b.example')],
  ['parameters without a name', card('EMAIL', ';a', ':a@b.example')],
  ['parameters of other names', card('EMAIL', (i) => `;X${numbered(i)}=a`, ':a@b.example')],
  ['a parameter of quotes', card('EMAIL;TYPE=', '"', ':a@b.example')],
  ['a quote that is not closed', card('EMAIL;TYPE="', 'a;', ':a@b.example')],
  ['carets in a parameter', card('EMAIL;TYPE=', "^'", ':a@b.example')],
  ['addresses', card('', 'EMAIL:a@b.example\r\n')],
  ['addresses of their own', card('', (i) => `EMAIL:${numbered(i)}@b.example\r\n`)],
  ['phones of their own', card('', (i) => `TEL:${numbered(i)}\r\n`)],
  ['an address', card('EMAIL:', 'a', '@b.example')],
  ['an address of many at signs', card('EMAIL:', '@')],
  ['an address of dots', card('EMAIL:a@', 'a.', 'example')],
  ['a phone', card('TEL:', '1')],
  ['a phone of parameters', card('TEL:tel:1', ';ext=1')],
  ['a phone of spaces', card('TEL:1', ' ')],
  ['a place of many values', card('ADR:;;', 'a,')],
  ['places of their own', card('', (i) => `ADR:;;${numbered(i)};;;;\r\n`)],
  ['a web page', card('URL:', 'a.')],
  ['a birthday', card('BDAY:', '1')],
  ['labels', card('', 'item1.X-ABLABEL:_$!<a>!$_\r\n')],
  ['a label', card('item1.X-ABLABEL:_$!<', '>!$_')],
  ['a group of properties', card('', 'a.', 'EMAIL:a@b.example')],
  ['folded lines', card('NOTE:', 'a\r\n ')],
  ['folded lines of nothing', card('NOTE:a', '\r\n ')],
  ['lines of nothing', card('', '\r\n')],
  ['lines that end alone', card('', '\r')],
  ['quoted-printable', oldCard('NOTE;QUOTED-PRINTABLE:', '=41')],
  ['quoted-printable on many lines', oldCard('NOTE;QUOTED-PRINTABLE:', 'a=\r\n')],
  ['commas of an old card', oldCard('NOTE:', ',')],
  ['backslashes of an old card', oldCard('NOTE:', '\\')],
  ['cards in cards', card('', 'BEGIN:VCARD\r\n')],
  ['ends', card('', 'END:VCARD\r\n')],
  ['properties that are not read', card('', 'X-A:a\r\n')],
  ['an unread property', card('X-A:', 'a')],
  ['spaces before a name', card('', ' ', 'EMAIL:a@b.example')],
  ['a version', card('VERSION:', ' ')],
  ['a kind', card('KIND:', 'a')],
];

/** Rows of a table whose header has as many columns as are looked at. */
const columnsMax = 1000;
const header = (name: (i: number) => string): Buffer =>
  Buffer.from(Array.from({ length: columnsMax }, (_, i) => name(i)).join(','));

describe('reading an entry of an import', () => {
  it.each(cards)('takes time that grows with it, and no more: %s', (_what, cardOf) => {
    const { ms, ratio } = growthOf(
      (length) => read(() => readVcard(cardOf(length))),
      entryBytesMax,
    );
    expect(ratio).toBeLessThan(9);
    expect(ms).toBeLessThan(1_000);
  });

  it.each([
    ['addresses', (i: number) => `e-mail ${i} - value`, 'a'],
    ['phones', (i: number) => `phone ${i} - value`, '1'],
    ['groups', () => 'labels', 'a'],
    ['names', () => 'first name', 'a'],
  ])('takes time that grows with the columns of a row: %s', (_what, nameOf, cell) => {
    const run = (count: number): void => {
      const names = ['name', ...Array.from({ length: count - 1 }, (_, i) => nameOf(i))].join(',');
      const table = tableOf(Buffer.from(names));
      const row = Buffer.from(Array<string>(count).fill(cell).join(','));
      for (let n = 0; n < 100; n++) read(() => readCsv(row, table));
    };
    const { ms, ratio } = growthOf(run, columnsMax);
    expect(ratio).toBeLessThan(9);
    expect(ms).toBeLessThan(3_000);
  });

  it.each([
    ['quotes', '"'],
    ['quoted cells', '"a",'],
    ['doubled quotes', '""'],
    ['cells', ','],
    ['joints', ' ::: '],
    ['spaces', ' '],
    ['apostrophes', "'"],
    ['marks', '\u0301\u0316'],
  ])('takes time that grows with a row: %s', (_what, part) => {
    const table = tableOf(header((i) => (i === 0 ? 'labels' : i === 1 ? 'name' : `x${i}`)));
    const run = (length: number): void =>
      read(() => readCsv(Buffer.from(`a${filled(part, length)}`), table));
    const { ms, ratio } = growthOf(run, entryBytesMax);
    expect(ratio).toBeLessThan(9);
    expect(ms).toBeLessThan(1_000);
  });
});
