import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { quotedStrings, replaceQuotedStrings } from './quoted-strings.js';

/** The plain definition, which takes quadratic time. */
const expression = /"((?:[^"\\]|\\[^])*)"/gu;
const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', '@', '\n', ' ') });

describe('quoted strings', () => {
  it('are those of the grammar, whatever the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(Array.from(quotedStrings(given), ({ content }) => content)).toEqual(
          Array.from(given.matchAll(expression), (found) => found[1]),
        );
        expect(replaceQuotedStrings(given, ({ content }) => `<${content}>`)).toBe(
          given.replace(expression, (_, content: string) => `<${content}>`),
        );
      }),
      { numRuns: repetitions(10_000) },
    );
  });

  it.each(['"', '"\\', '\\"', '\\"\\'])('are found in linear time: %j without end', (unit) => {
    const given = unit.repeat(2_000_000 / unit.length);
    const before = process.cpuUsage();
    for (const _ of quotedStrings(given));
    // Quadratic, it would be an hour.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  });
});
