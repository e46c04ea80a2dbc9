import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgedText } from './judged-content.js';

describe('a judged text', () => {
  it.each([
    ['widths', '４１１１', '4111'],
    ['styles', '\u{1d7d2}\u{1d7d9}\u{1d7d9}\u{1d7d9}', '4111'],
    ['scripts', '\u0664\u0661\u0661\u0661', '4111'],
    ['signs around digits', '④①①①', '4111'],
    ['what shows nothing', '4\u200b1\u00ad1\u20601', '4111'],
    ['directions', '\u202e41\u202c11', '4111'],
    ['marks of no letter', '4\u03361\u03361\u03361\u0336', '4111'],
    ['dashes', '41‑11–11—11−11', '41-11-11-11-11'],
    ['white space', ' 41\u00a011\n\t11\u200911 ', '41 11 11 11'],
  ])('has no %s', (_what, text, judged) => {
    expect(judgedText(text)).toBe(judged);
  });

  it('keeps letter case and accents', () => {
    expect(judgedText('E\u0301te\u0301 à AKIA')).toBe('Été à AKIA');
  });

  it('is its own judged text, whatever it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const judged = judgedText(text);
        expect(judgedText(judged)).toBe(judged);
      }),
    );
  });

  it('of a million marks is there at once', () => {
    expect(judgedText(`a${'\u0301\u0316'.repeat(500_000)}b`)).toMatch(/^.{1,2}b$/u);
  });
});
