import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cardNumbers } from './card-number.js';

const found = (text: string): string[] => [...cardNumbers(text)];

/** The check digit of ISO/IEC 7812-1, worked out by its own words: the one that makes a sum of tens. */
function withCheckDigit(body: string): string {
  for (let digit = 0; digit < 10; digit++) {
    const number = `${body}${digit}`;
    const sum = [...number].reverse().reduce((total, one, place) => {
      const value = Number(one) * (place % 2 === 0 ? 1 : 2);
      return total + Math.floor(value / 10) + (value % 10);
    }, 0);
    if (sum % 10 === 0) return number;
  }
  throw new Error('one of ten fits');
}

const someDigits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

const visa = someDigits(14).map((rest) => withCheckDigit(`4${rest}`));

describe('card numbers', () => {
  it.each([
    ['Visa', '4111111111111111'],
    ['Visa of 13', '4222222222222'],
    ['Mastercard', '5555555555554444'],
    ['Mastercard 2', '2223003122003222'],
    ['American Express', '378282246310005'],
    ['Diners Club', '30569309025904'],
    ['Discover', '6011111111111117'],
    ['JCB', '3530111333300000'],
    ['Maestro', '6759649826438453'],
    ['UnionPay', '6200000000000005'],
  ])('of %s are found', (_name, number) => {
    expect(found(number)).toEqual([number]);
    expect(found(`Card: ${number}, valid until 12/29.`)).toEqual([number]);
  });

  it('are found in groups, whatever joins them', () => {
    for (const written of [
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '4111.1111.1111.1111',
      '4111 - 1111 - 1111 - 1111',
      '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
      '41111111 11111111',
      '3782 822463 10005',
      '4111 1111-1111 . 1111',
      '4111/1111/1111/1111',
      '4222 222 222 222',
      '4111 111111111111',
      '4111 11111111 1111',
    ]) {
      expect(found(`a ${written} b`)).toEqual([written]);
    }
  });

  it('are found after another number, and one after the other', () => {
    expect(found('12 4111 1111 1111 1111')).toEqual(['4111 1111 1111 1111']);
    expect(found('4111111111111111,5555555555554444')).toEqual([
      '4111111111111111',
      '5555555555554444',
    ]);
  });

  it('are none inside a longer run of digits, nor in a fraction', () => {
    for (const text of ['14111111111111111', '41111111111111110', '0.4111111111111111']) {
      expect(found(text)).toEqual([]);
    }
  });

  it('are none with a wrong check digit, of no issuer, or of a wrong length', () => {
    for (const text of ['4111111111111112', '1111111111111117', '41111111111111', '']) {
      expect(found(text)).toEqual([]);
    }
  });

  it('are none in lists of amounts, dates or telephone numbers', () => {
    const short = fc.array(fc.integer({ min: 0, max: 999 }).map(String), { maxLength: 60 });
    fc.assert(
      fc.property(short, fc.constantFrom(' ', '.', '-', '/'), (numbers, separator) => {
        // Digit by digit would be one way to write a card number.
        fc.pre(!numbers.some((number, at) => number.length === 1 && numbers[at + 1]?.length === 1));
        expect(found(numbers.join(separator))).toEqual([]);
      }),
    );
  });

  it('of any digits are found exactly when the check digit is right', () => {
    fc.assert(
      fc.property(visa, fc.integer({ min: 1, max: 9 }), (number, off) => {
        const last = (Number(number.at(-1)) + off) % 10;
        expect(found(number)).toEqual([number]);
        expect(found(`${number.slice(0, -1)}${last}`)).toEqual([]);
      }),
    );
  });

  it('are found wherever they stand among words', () => {
    const word = fc.stringMatching(/^[a-z,;:!?()]{1,12}$/);
    fc.assert(
      fc.property(word, visa, word, (before, number, after) => {
        expect(found(`${before} ${number} ${after}`)).toEqual([number]);
        expect(found(`${before}${number}${after}`)).toEqual([number]);
      }),
    );
  });
});
