import { describe, expect, it } from '@jest/globals';
import { foldForSearch } from '@postroom/contracts/fold-for-search';
import fc from 'fast-check';
import { Positions, wordsOf } from './words.js';

const words = (text: string): string[] => [...wordsOf(text)].map(({ word }) => word);

describe('words', () => {
  it('are parted by all that is no letter, digit or pictograph', () => {
    expect(words(`l'avion jean.dupont@x-y.fr n°12_3 \u{1f389}`)).toEqual([
      'l',
      'avion',
      'jean',
      'dupont',
      'x',
      'y',
      'fr',
      'n',
      '12',
      '3',
      '\u{1f389}',
    ]);
  });

  it('are the same with what nobody sees in them', () => {
    expect(words('Rech\u00adnungs\u00ad\u2060num\u00admer\u00ad, می\u200cخواهم')).toEqual([
      'rechnungsnummer',
      'میخواهم',
    ]);
    expect(words('\u2764\ufe0f 1\ufe0f')).toEqual(words('\u2764 1'));
  });

  it('are overlapping pairs where a script has no spaces, and the last character', () => {
    expect(words('東京都 100円 city')).toEqual(['東京', '京都', '都', '100', '円', 'city']);
  });

  it('end at what is no letter, digit or mark, in plain text and in any other', () => {
    const unit = fc.constantFrom(
      'a',
      'Z',
      '9',
      ' ',
      '-',
      'é',
      'e\u0301',
      'ß',
      '.',
      'л',
      '\u{1f389}',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const runs = text.match(/[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu) ?? [];
        expect(words(text)).toEqual(runs.map(foldForSearch));
      }),
    );
  });

  it('stand where they say, in order, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let before = 0;
        for (const { word, start, end } of wordsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(word.length).toBeLessThanOrEqual(128);
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+$/u);
          before = start;
        }
      }),
    );
  });
});

describe('the positions of words', () => {
  it('are those of the whole text, however long: a slice of it ends between two words', async () => {
    const one = (_: unknown, i: number) => `né${i}${'x'.repeat(i % 7)}${i % 50 === 0 ? '\n' : ' '}`;
    const text = Array.from({ length: 12_000 }, one).join('');
    const positions = new Positions();
    await positions.addText(text);
    const expected = words(text).map((word, i) => `'${word}':${i + 1}`);
    expect(expected.length).toBe(12_000);
    expect([...positions.entries()]).toEqual(expected);
  });
});
