import { describe, expect, it } from '@jest/globals';
import { comparison, table } from './report.js';
import { holds, lineOf, type Direction, type Line } from './result.js';

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

  it('is written with three places, its direction and its CPU time', () => {
    const cpuMs = { own: 0.63149, twin: 0.5 };
    expect(lineOf({ ...result(1.00004, 1.25, 'at most'), cpuMs })).toEqual({
      ...{ id: 'C-i', title: 'ours / bare', ratio: 1, q1: 0.877, q3: 1.1, rounds: 3, goal: 1.25 },
      ...{ direction: 'at most', holds: true, cpuMs: { own: 0.631, twin: 0.5 } },
    });
  });

  it('is a row of the table', () => {
    const line = lineOf({
      ...result(0.9, 0.95, 'at least'),
      cpuMs: { own: 0.63, twin: 0.5 },
    });
    expect(table([line])).toBe(
      [
        '| line | what        | ratio | quartiles    | goal          | holds | CPU ms a request / of the twin |',
        '| ---- | ----------- | ----- | ------------ | ------------- | ----- | ------------------------------ |',
        '| C-i  | ours / bare | 0.90  | 0.78 to 1.00 | at least 0.95 | no    | 0.63 / 0.50                    |',
      ].join('\n'),
    );
  });
});

describe('the comparison of two runs', () => {
  const lines = (median: number, direction: Direction): Line[] => [
    lineOf(result(median, 1, direction)),
  ];

  it.each([
    [1, 1.1, 'at most', 'none'],
    [1, 1.5, 'at most', 'worse, +50 %'],
    [1, 1.5, 'at least', 'better, +50 %'],
    [1, 0.5, 'at most', 'better, -50 %'],
  ] as const)('of %s with %s, %s, says: %s', (old, now, direction, change) => {
    const [, , row = ''] = comparison(lines(old, direction), lines(now, direction)).split('\n');
    expect(row.split(' | ')[5]?.trim()).toBe(change);
  });

  it('has the lines that both have', () => {
    const other = { ...lineOf(result(1, 1, 'at most')), id: 'Z' };
    expect(comparison([other], lines(1, 'at most')).split('\n')).toHaveLength(2);
  });
});
