import { describe, expect, it } from '@jest/globals';
import { idPattern, idPrefixes, isId, newId, unknownId, type IdPrefix } from './ids.js';

const prefixes = Object.keys(idPrefixes) as IdPrefix[];

describe('an identifier', () => {
  it.each(prefixes)('%s_… is recognised as its own kind and no other', (prefix) => {
    for (const id of [newId(prefix), unknownId(prefix)]) {
      expect(prefixes.filter((other) => isId(other, id))).toEqual([prefix]);
      expect(id).toMatch(new RegExp(idPattern(prefix)));
    }
  });

  it('is not made twice', () => {
    const made = new Set(Array.from({ length: 10_000 }, () => newId('cnv')));
    expect(made.size).toBe(10_000);
    // Every letter of the alphabet in every random place: no bias of the source shows.
    const places = Array.from({ length: 16 }, (_, i) => new Set([...made].map((id) => id[14 + i])));
    expect(places.map((letters) => letters.size)).toEqual(Array(16).fill(32));
  });

  it('sorts by the time it was made', async () => {
    const first = newId('cnv');
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(first < newId('cnv')).toBe(true);
  });

  it.each([
    ['lower case', `cnv_${'a'.repeat(26)}`],
    ['a letter that Crockford leaves out', `cnv_${'U'.repeat(26)}`],
    ['a time past the year 10889', `cnv_8${'0'.repeat(25)}`],
    ['a line feed at the end', `cnv_${'0'.repeat(26)}\n`],
    ['nothing', ''],
    ['the prefix alone', 'cnv_'],
  ])('is not a text with %s', (_why, text) => {
    expect(isId('cnv', text)).toBe(false);
    expect(text).not.toMatch(new RegExp(idPattern('cnv')));
  });
});
