import { quantile } from '../quartiles.js';
import type { Connection } from '../rig/connection.js';
import type { NextRequest } from '../rig/load.js';
import { shuffled } from '../shuffled.js';
import type { Pair } from './pairs.js';

const warmUpMs = 5_000;
const sliceMs = 1_000;

/** Milliseconds at p50 of a call and of the request that does the same, within one round. */
export interface PairRound {
  readonly tool: number;
  readonly rest: number;
}

export async function warmUp(connection: Connection, pair: Pair): Promise<void> {
  for (const next of [pair.rest, pair.tool]) await p50(connection, next, warmUpMs);
}

/** Each of the two alone, with one in flight, in random order. */
export async function measureRound(connection: Connection, pair: Pair): Promise<PairRound> {
  const measured = { tool: NaN, rest: NaN };
  for (const name of shuffled(['tool', 'rest'] as const))
    measured[name] = await p50(connection, pair[name], sliceMs);
  return measured;
}

/** @throws Error for an answer that is no success */
async function p50(connection: Connection, next: NextRequest, ms: number): Promise<number> {
  const latencies: number[] = [];
  const end = performance.now() + ms;
  for (let began = performance.now(); began < end; began = performance.now()) {
    const { status, body } = await connection.ask(next());
    latencies.push(performance.now() - began);
    if (status >= 300 || body.includes('"error":'))
      throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
  }
  return quantile(
    latencies.toSorted((a, b) => a - b),
    0.5,
  );
}
