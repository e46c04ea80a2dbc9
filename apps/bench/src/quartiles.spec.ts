import { describe, expect, it } from '@jest/globals';
import { quartiles } from './quartiles.js';

describe('quartiles', () => {
  it('finds the middle of an odd number of values, whatever their order', () => {
    expect(quartiles([5, 1, 4, 2, 3])).toEqual({ q1: 2, median: 3, q3: 4 });
  });

  it('interpolates between neighbours', () => {
    expect(quartiles([1, 2, 3, 4])).toEqual({ q1: 1.75, median: 2.5, q3: 3.25 });
  });

  it('is the value itself for a single one', () => {
    expect(quartiles([7])).toEqual({ q1: 7, median: 7, q3: 7 });
  });

  it('refuses no values', () => {
    expect(() => quartiles([])).toThrow(RangeError);
  });
});
