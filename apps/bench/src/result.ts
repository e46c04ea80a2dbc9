import { quartiles, type Quartiles } from './quartiles.js';

/** A ratio has to reach its goal, or to stay below it. */
export type Direction = 'at least' | 'at most';

/** CPU milliseconds a request, medians over the rounds: of the product's processes, and of what it is compared with. */
interface CpuMs {
  readonly own: number;
  readonly twin: number;
}

/** A ratio with a goal. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly ratio: Quartiles;
  readonly rounds: number;
  readonly goal: number;
  readonly direction: Direction;
  /** Only where both sides serve requests, and nothing else runs in their processes. */
  readonly cpuMs?: CpuMs;
}

/** The lines of a part of the bench, and the figures that they are made of, by name. */
export interface Part {
  readonly results: readonly Result[];
  readonly figures?: Readonly<Record<string, object>>;
}

/** Several parts as one. */
export const joined = (parts: readonly Part[]): Part => ({
  results: parts.flatMap(({ results }) => results),
  figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Record<string, object>,
});

/** The result of ratios, one a round. */
export const resultOfRatios = (
  [id, title]: readonly [string, string],
  ratios: readonly number[],
  direction: Direction,
  goal: number,
): Result => ({ id, title, ratio: quartiles(ratios), rounds: ratios.length, goal, direction });

/** A result as `--json` writes it, which `compare` and `readme` read. */
export interface Line {
  readonly id: string;
  readonly title?: string;
  readonly ratio: number;
  readonly q1: number;
  readonly q3: number;
  readonly rounds: number;
  readonly goal: number;
  readonly direction: Direction;
  readonly holds: boolean;
  readonly cpuMs?: CpuMs;
}

/** True if the median of the rounds' ratios is on the goal's side. */
export const holds = ({ ratio: { median }, goal, direction }: Result): boolean =>
  direction === 'at least' ? median >= goal : median <= goal;

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export function lineOf(result: Result): Line {
  const { id, title, ratio, rounds, goal, direction, cpuMs } = result;
  return {
    id,
    title,
    ratio: rounded(ratio.median),
    q1: rounded(ratio.q1),
    q3: rounded(ratio.q3),
    rounds,
    goal,
    direction,
    holds: holds(result),
    ...(cpuMs && { cpuMs: { own: rounded(cpuMs.own), twin: rounded(cpuMs.twin) } }),
  };
}
