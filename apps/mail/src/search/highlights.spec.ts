import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchedIn, type FoundTexts } from './highlights.js';
import { parseQuery } from './parse-query.js';

const found = (q: string, given: Partial<FoundTexts>): ReturnType<typeof matchedIn> =>
  matchedIn({ subject: '', from: null, to: '', text: '', ...given }, parseQuery(q).terms);

const pieces = (q: string, text: string): string[] => found(q, { text }).highlights.text;

describe('highlights', () => {
  it('mark the words as they stand in the text', () => {
    expect(pieces('recu ete', 'Reçu en été, l’étéité.')).toEqual(['«Reçu» en «été», l’«étéité».']);
  });

  it('mark phrases, and words that touch as one', () => {
    expect(pieces('"de la facture"', 'de la, de  la Facture')).toEqual(['de la, «de la Facture»']);
    expect(pieces('東京都', 'は東京都です')).toEqual(['は«東京都»です']);
    expect(pieces('東', 'は東京です')).toEqual(['は«東»京です']);
  });

  it('are pieces of a long text, at most three', () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(20);
    const shown = pieces('cible', `${filler}cible ${filler}cible ${filler}cible ${filler}cible`);
    expect(shown).toHaveLength(3);
    for (const piece of shown) {
      expect(piece).toMatch(/^….*«cible».*…$/);
      expect(piece.length).toBeLessThanOrEqual(170);
    }
  });

  it('know where the words stand, and how prominently', () => {
    const texts = {
      subject: 'Facture',
      from: { email: 'zoe@x.example', name: 'Zoé' },
      to: 'ops@y.example',
      text: 'facture zoe ops',
    };
    expect(found('facture', texts)).toMatchObject({ matchedIn: ['subject', 'text'], score: 1 });
    expect(found('from:zoe facture', texts)).toMatchObject({ score: 0.9 });
    expect(found('to:ops', texts)).toMatchObject({ matchedIn: ['to'], score: 0.6 });
    expect(found('further', texts)).toMatchObject({ matchedIn: ['text'], score: 0.4 });
    expect(found('is:open', texts)).toMatchObject({ matchedIn: [], score: 0 });
    expect(found('-facture', texts).highlights).toEqual({ subject: [], from: [], text: [] });
  });

  it('hold nothing but pieces of the text, of any text and any query', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1000 }),
      fc
        .array(
          fc.constantFrom('a', 'b ', 'é', '東', '\u{1f389}', '\n', '<b>', '&', 'x'.repeat(90)),
          {
            maxLength: 300,
          },
        )
        .map((parts) => parts.join('')),
    );
    const plain = (text: string): string => text.replace(/[«»…\s]+/gu, '');
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom('a', 'e "a b"', '東', 'x', 'b a', '\u{1f389}'),
        (text, q) => {
          const shown = pieces(q, text.replace(/[«»…]/gu, ''));
          expect(shown.length).toBeLessThanOrEqual(3);
          for (const piece of shown) {
            expect(piece.length).toBeLessThanOrEqual(400);
            expect(plain(text)).toContain(plain(piece));
            expect(piece).toMatch(/«[^«»]+»/u);
            expect(piece.isWellFormed()).toBe(text.isWellFormed() || piece.isWellFormed());
          }
        },
      ),
    );
  });
});
