import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldForSearch, searchWords } from './fold-for-search.js';

describe('a text that is searched', () => {
  it.each([
    ['Reçu', 'recu'],
    ['CŒUR', 'coeur'],
    ['Straße', 'strasse'],
    ['Łódź', 'lodz'],
    ['Rech\u00adnungs\u00ad\u2060num\u00admer', 'rechnungsnummer'],
    ['Ǆ', 'dz'],
    ['ﬁn', 'fin'],
    ['ＡＣＭＥ', 'acme'],
    ['İstanbul', 'istanbul'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['Ёлка', 'елка'],
    ['مُحَمَّد', 'محمد'],
    ['हिन्दी', 'हिन्दी'],
    ['がく', 'がく'],
    ['l’Été', "l'ete"],
    ['  a\u00a0\n\tb ', 'a b'],
  ])('is compared without case, accents, width and what shows nothing: %s', (text, expected) => {
    expect(foldForSearch(text)).toBe(expected);
  });

  it('is the same, folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(foldForSearch(foldForSearch(text))).toBe(foldForSearch(text));
      }),
    );
  });

  it('has words, of which the first twenty count', () => {
    expect(searchWords(' Œuvre\u00a0 d’ART ')).toEqual(['oeuvre', "d'art"]);
    expect(searchWords('a '.repeat(30))).toHaveLength(20);
    expect(searchWords('')).toEqual([]);
  });
});
