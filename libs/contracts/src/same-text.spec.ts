import { describe, expect, it } from '@jest/globals';
import { sameText, streamSafe } from './same-text.js';
import fc from 'fast-check';

describe('a stream-safe text', () => {
  it.each([
    ['marks of two classes', '\u0301\u0316'],
    ['half-width sound marks between others', '\uff9e\u0316'],
    ['letters between', `a${'\u0301\u0316'.repeat(200)}`],
  ])('is normalised in time: %s', (_what, unit) => {
    const text = `a${unit.repeat(400_000 / unit.length)}`;
    const before = process.cpuUsage();
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) streamSafe(text).normalize(form);
    // Quadratic, it would be a minute.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_500);
  });

  it('is the text, where no more marks are stacked than people write', () => {
    const text = `ệ Zürich ${'ｶﾞ'.repeat(40)} ${'e\u0301'.repeat(40)} a${'\u0301'.repeat(30)}`;
    expect(streamSafe(text)).toBe(text);
    expect(streamSafe(`${text}\u0301b`)).toBe(`${text}b`);
  });
});

const same = (...texts: readonly string[]): boolean => new Set(texts.map(sameText)).size === 1;

describe('sameText', () => {
  it.each([
    ['letter case', 'Urgent', 'urgent', 'URGENT'],
    ['full case folding', 'Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['final sigma', 'ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['width', 'VIP', 'ＶＩＰ', 'ｖｉｐ'],
    ['half-width kana', 'カタカナ', 'ｶﾀｶﾅ'],
    ['composition', 'Été', 'E\u0301te\u0301'],
    ['compatibility forms', 'ﬁn', 'fin'],
    ['white space', ' to   do ', 'to do', 'to\u00a0do', 'to\u3000do', 'to\u2003 do'],
    ['characters that show nothing', 'urgent', 'ur\u00adgent', 'urgent\u200b', 'urgent\ufe0f'],
    ['İ and what it is made of', 'İ', 'I\u0307', 'i\u0307'],
  ])('is the same for texts that differ in %s', (_what, ...texts) => {
    expect(same(...texts)).toBe(true);
  });

  it.each([
    ['accents', 'ete', 'été'],
    ['words', 'to do', 'todo'],
    ['punctuation', 'to-do', 'to do'],
    ['the dotless ı', 'ılık', 'ilik'],
  ])('differs for texts that differ in %s', (_what, one, other) => {
    expect(same(one, other)).toBe(false);
  });

  it('is empty exactly for white space', () => {
    expect(['', ' ', '\u3000\u00a0\u2003'].map(sameText)).toEqual(['', '', '']);
    expect(sameText('.')).toBe('.');
  });

  it('changes nothing a second time, whatever the text', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed());
    fc.assert(
      fc.property(text, (one) => {
        expect(sameText(sameText(one))).toBe(sameText(one));
      }),
    );
  });

  it('is the same for every letter of Unicode in upper, lower and either normal form', () => {
    const differing: string[] = [];
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const letter = String.fromCodePoint(code);
      const spellings = [
        letter,
        ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => letter.normalize(form)),
      ];
      if (letter !== 'ı') spellings.push(letter.toUpperCase(), letter.toLowerCase());
      if (spellings.some((one) => one !== letter) && !same(...spellings)) differing.push(letter);
    }
    expect(differing).toEqual([]);
  });

  it('takes little time, also of half a million marks', () => {
    const before = process.cpuUsage();
    sameText(`a${'\u0301\u0316'.repeat(250_000)}`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1_000);
  });
});
