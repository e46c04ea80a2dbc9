import { describe, expect, it } from '@jest/globals';
import { streamSafe } from './stream-safe.js';

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
