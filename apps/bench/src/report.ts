import type { BenchResult, Comparison } from './rounds.js';

/** A result as `--json` writes it. */
export interface JsonResult {
  readonly id: string;
  readonly ratio: number;
  readonly q1: number;
  readonly q3: number;
  readonly rounds: number;
  readonly goal: number;
  readonly holds: boolean;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export function jsonResult({ bench, rounds, subject }: BenchResult): JsonResult {
  const { q1, median, q3 } = subject.ratio;
  return {
    id: bench.id,
    ratio: rounded(median),
    q1: rounded(q1),
    q3: rounded(q3),
    rounds,
    goal: bench.goal,
    holds: median >= bench.goal,
  };
}

const head = [
  'bench',
  'what',
  'ratio',
  'quartiles',
  'goal',
  'holds',
  'requests/s',
  'twin',
  'CPU ms/request',
  'twin',
];

/** The results as a table for a terminal: the benches, and below each what was measured beside it. */
export function table(results: readonly BenchResult[]): string {
  const lines = results.flatMap(({ bench, subject, beside }) => [
    line(bench.id, subject, bench.goal),
    ...beside.map((one) => line('', one, null)),
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((cells) => (cells[column] ?? title).length)),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function line(
  id: string,
  { title, ratio, perSecond, cpuMs }: Comparison,
  goal: number | null,
): string[] {
  return [
    id,
    title,
    ratio.median.toFixed(2),
    `${ratio.q1.toFixed(2)} to ${ratio.q3.toFixed(2)}`,
    goal?.toFixed(2) ?? '',
    goal === null ? '' : ratio.median >= goal ? 'yes' : 'no',
    perSecond.own.toFixed(0),
    perSecond.twin.toFixed(0),
    cpuMs.own.toFixed(3),
    cpuMs.twin.toFixed(3),
  ];
}
