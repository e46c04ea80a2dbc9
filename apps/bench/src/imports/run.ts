import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Result } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import { stopProcess, tell } from '../rig/tell.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

const sliceSize = 400;

/** To a process that stores: how it starts, then messages by their numbers. */
export type StoringOrder =
  { readonly start: StoringPlace } | { readonly first: number; readonly count: number };

export type StoringPlace = Pick<BenchDatabase, 'setup' | 'adminUrl'>;

export interface StoringReport {
  readonly ms?: number;
}

export interface ImportBenchResult {
  readonly result: Result;
  /** Messages a second; medians over the rounds. */
  readonly figures: { readonly product: number; readonly twin: number };
}

const programs = ['import-product', 'import-twin'] as const;
type Program = (typeof programs)[number];

/** Bench I: an import of history against a hand-written loop over postal-mime, which stores the same rows. */
export async function runImportBench(
  { setup, adminUrl }: BenchDatabase,
  { rounds, profiles, signal }: RunOptions,
): Promise<ImportBenchResult> {
  const children = programs.map((name) => {
    const file = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
    const profiling = profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
    const child = fork(file, { execArgv: [...process.execArgv, ...profiling], signal });
    return [name, child.on('error', () => undefined)] as const;
  });
  try {
    const history: Record<Program, number>[] = [];
    for (const [, child] of children)
      await tell(child, { start: { setup, adminUrl } } satisfies StoringOrder);
    // The first round compiles.
    for (let round = 0; round <= rounds; round += 1) {
      const rates = { 'import-product': NaN, 'import-twin': NaN };
      for (const [name, child] of shuffled(children)) {
        const order = { first: round * sliceSize, count: sliceSize } satisfies StoringOrder;
        const { ms = NaN } = await tell<StoringReport>(child, order);
        rates[name] = (sliceSize * 1000) / ms;
      }
      history.push(rates);
    }
    return resultOf(history.slice(1));
  } finally {
    for (const [, child] of children) await stopProcess(child);
  }
}

function resultOf(history: readonly Record<Program, number>[]): ImportBenchResult {
  const rates = (name: Program): number[] => history.map((round) => round[name]);
  return {
    result: resultOfRatios(
      ['I', 'import of history, messages/s: product / hand-written loop'],
      history.map((round) => round['import-product'] / round['import-twin']),
      'at least',
      0.35,
    ),
    figures: {
      product: quartiles(rates('import-product')).median,
      twin: quartiles(rates('import-twin')).median,
    },
  };
}
