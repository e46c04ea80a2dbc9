import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quartiles } from '../quartiles.js';
import { resultOfRatios, type Part } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import { stopProcess, tell } from '../rig/tell.js';
import type { RunOptions } from '../rounds.js';
import { shuffled } from '../shuffled.js';

const sliceSize = 400;

/** To a process that stores: how it starts, then messages by their numbers. */
export type StoringOrder =
  | { readonly start: StoringPlace }
  | { readonly first: number; readonly count: number };

export type StoringPlace = Pick<BenchDatabase, 'setup' | 'adminUrl'>;

export interface StoringReport {
  readonly ms?: number;
  readonly cpuMs?: number;
}

const programs = ['import-product', 'import-twin'] as const;
type Program = (typeof programs)[number];

/** Messages a second, and CPU milliseconds a message. */
interface Stored {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Bench I: an import of history against a hand-written loop over postal-mime, which stores the same rows. */
export async function runImportBench(
  { setup, adminUrl }: BenchDatabase,
  { rounds, profiles, signal }: RunOptions,
): Promise<Part> {
  const children = programs.map((name) => {
    const file = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
    const profiling = profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
    const child = fork(file, { execArgv: [...process.execArgv, ...profiling], signal });
    return [name, child.on('error', () => undefined)] as const;
  });
  try {
    const history: Record<Program, Stored>[] = [];
    for (const [, child] of children)
      await tell(child, { start: { setup, adminUrl } } satisfies StoringOrder);
    // The first round compiles.
    for (let round = 0; round <= rounds; round += 1) {
      const none = { perSecond: NaN, cpuMs: NaN };
      const stored: Record<Program, Stored> = { 'import-product': none, 'import-twin': none };
      for (const [name, child] of shuffled(children)) {
        const order = { first: round * sliceSize, count: sliceSize } satisfies StoringOrder;
        const { ms = NaN, cpuMs = NaN } = await tell<StoringReport>(child, order);
        stored[name] = { perSecond: (sliceSize * 1000) / ms, cpuMs: cpuMs / sliceSize };
      }
      history.push(stored);
    }
    return partOf(history.slice(1));
  } finally {
    for (const [, child] of children) await stopProcess(child);
  }
}

function partOf(history: readonly Record<Program, Stored>[]): Part {
  const middle = (name: Program, figure: keyof Stored): number =>
    quartiles(history.map((round) => round[name][figure])).median;
  const result = resultOfRatios(
    ['I', 'import of history, messages/s: product / hand-written loop'],
    history.map((round) => round['import-product'].perSecond / round['import-twin'].perSecond),
    'at least',
    0.35,
  );
  const cpuMs = { own: middle('import-product', 'cpuMs'), twin: middle('import-twin', 'cpuMs') };
  const imports = {
    product: middle('import-product', 'perSecond'),
    twin: middle('import-twin', 'perSecond'),
  };
  return { results: [{ ...result, cpuMs }], figures: { imports } };
}
