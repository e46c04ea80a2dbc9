import { describe, expect, it } from '@jest/globals';
import { ignoredHeader } from './ignored-names.js';

describe('the header of what was ignored', () => {
  it.each([
    [[], undefined],
    [['name', 'draft.name'], 'name, draft.name'],
    [
      ['naïve', 'a, b', '50%', 'x y', '\r\n', '\ud800'],
      'na%C3%AFve, a%2C%20b, 50%25, x%20y, %0D%0A, %EF%BF%BD',
    ],
    [['x'.repeat(64), 'y'.repeat(65)], `${'x'.repeat(64)}, ${'y'.repeat(63)}%E2%80%A6`],
    [Array<string>(25).fill('a'), Array(20).fill('a').join(', ')],
  ])('of %j is %j', (names, expected) => {
    expect(ignoredHeader(names)['x-svc-ignored']).toBe(expected);
  });
});
