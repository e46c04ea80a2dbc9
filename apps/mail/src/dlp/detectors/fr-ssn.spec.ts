import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { frenchSocialSecurityNumbers } from './fr-ssn.js';

const found = (text: string): string[] => [...frenchSocialSecurityNumbers(text)];

/** The key of a number, of which Corsica's letters were made digits. */
const keyed = (number: string, department: string): string => {
  const value = number.replace('2A', '19').replace('2B', '18');
  expect(department).toHaveLength(2);
  return `${number}${String(97n - (BigInt(value) % 97n)).padStart(2, '0')}`;
};

const two = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((value) => String(value).padStart(2, '0'));

const numbers = fc
  .tuple(
    fc.constantFrom('1', '2'),
    two(0, 99),
    two(1, 12),
    fc.oneof(two(1, 19), two(21, 95), fc.constantFrom('2A', '2B', '97', '99')),
    fc.stringMatching(/^[0-9]{6}$/),
  )
  .map((parts) => keyed(parts.join(''), parts[3]));

describe('French social security numbers', () => {
  it('are found with their key, in the usual groups or in none', () => {
    const number = keyed('1850578006084', '78');
    expect(number).toBe('185057800608491');
    for (const written of [
      number,
      '1 85 05 78 006 084 91',
      '1.85.05.78.006.084.91',
      '1850578006084 91',
      '1 85 05 78 006 084 - 91',
      '185/0578/006084/91',
      '1 8 5 0 5 7 8 0 0 6 0 8 4 9 1',
    ]) {
      expect(found(`n° ${written}, né en mai`)).toEqual([written]);
    }
  });

  it('of Corsica are found', () => {
    for (const department of ['2A', '2B']) {
      const number = keyed(`26909${department}004123`, department);
      expect(found(number)).toEqual([number]);
      expect(found(number.toLowerCase())).toEqual([number.toLowerCase()]);
    }
  });

  it('of any birth are found, and with no other key', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 96 }), (number, off) => {
        expect(found(`(${number})`)).toEqual([number]);
        const key = ((Number(number.slice(13)) + off - 1) % 97) + 1;
        const wrong = `${number.slice(0, 13)}${String(key).padStart(2, '0')}`;
        expect(found(wrong)).toEqual([]);
      }),
    );
  });

  it('are none in a longer run, without the key, in the 13th month, or for a sex that is none', () => {
    const number = '185057800608491';
    const wrong = [`1${number}`, `${number}1`, `0.${number}`, number.slice(0, 13)];
    for (const text of [...wrong, keyed('1851378006084', '78'), keyed('9850578006084', '78')]) {
      expect(found(text)).toEqual([]);
    }
  });

  it('are found behind what looked like the beginning of one', () => {
    expect(found('1 1 85 05 78 006 084 91')).toEqual(['1 85 05 78 006 084 91']);
  });

  it('are none where their parts are not divided', () => {
    expect(found('18 50 57 80 06 08 49 1')).toEqual([]);
  });
});
