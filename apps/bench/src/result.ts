import { quartiles, type Quartiles } from './quartiles.js';

/** A ratio has to reach its goal, or to stay below it. */
export type Direction = 'at least' | 'at most';

/** A ratio with a goal. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly ratio: Quartiles;
  readonly rounds: number;
  readonly goal: number;
  readonly direction: Direction;
}

/** The result of ratios, one a round. */
export const resultOfRatios = (
  [id, title]: readonly [string, string],
  ratios: readonly number[],
  direction: Direction,
  goal: number,
): Result => ({ id, title, ratio: quartiles(ratios), rounds: ratios.length, goal, direction });

/** A result as `--json` writes it. */
export interface JsonResult {
  readonly id: string;
  readonly ratio: number;
  readonly q1: number;
  readonly q3: number;
  readonly rounds: number;
  readonly goal: number;
  readonly direction: Direction;
  readonly holds: boolean;
}

/** True if the median of the rounds' ratios is on the goal's side. */
export const holds = ({ ratio: { median }, goal, direction }: Result): boolean =>
  direction === 'at least' ? median >= goal : median <= goal;

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export function jsonResult(result: Result): JsonResult {
  const { id, ratio, rounds, goal, direction } = result;
  return {
    id,
    ratio: rounded(ratio.median),
    q1: rounded(ratio.q1),
    q3: rounded(ratio.q3),
    rounds,
    goal,
    direction,
    holds: holds(result),
  };
}
