import { describe, expect, it } from '@jest/globals';
import { holds, jsonResult, type Direction } from './result.js';

const result = (median: number, goal: number, direction: Direction) => ({
  id: 'C-i',
  title: 'ours / bare',
  ratio: { q1: median - 0.12345, median, q3: median + 0.1 },
  rounds: 3,
  goal,
  direction,
});

describe('a result', () => {
  it.each([
    [0.8, 'at least', true],
    [0.79, 'at least', false],
    [0.8, 'at most', true],
    [0.81, 'at most', false],
  ] as const)('of %s with the goal %s 0.8 holds: %s', (median, direction, expected) => {
    expect(holds(result(median, 0.8, direction))).toBe(expected);
  });

  it('is written with three places and its direction', () => {
    expect(jsonResult(result(1.00004, 1.25, 'at most'))).toEqual({
      id: 'C-i',
      ratio: 1,
      q1: 0.877,
      q3: 1.1,
      rounds: 3,
      goal: 1.25,
      direction: 'at most',
      holds: true,
    });
  });
});
