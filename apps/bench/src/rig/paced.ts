import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../quartiles.js';
import { Connection } from './connection.js';
import type { NextRequest } from './load.js';

/** Latencies counted from when a request was due, so that what waits behind a slow one counts. */
export interface PacedResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Sends requests at a fixed rate for a time, whether the server keeps up or not.
 *
 * @throws Error for an answer that is not 200
 */
export async function paced(
  port: number,
  next: NextRequest,
  { perSecond, ms }: { readonly perSecond: number; readonly ms: number },
): Promise<PacedResult> {
  const idle: Connection[] = [];
  const latencies: number[] = [];
  const ask = async (dueMs: number): Promise<void> => {
    const connection = idle.pop() ?? (await Connection.open(port));
    const { status, body } = await connection.ask(next());
    if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
    latencies.push(performance.now() - dueMs);
    idle.push(connection);
  };
  const asked: Promise<void>[] = [];
  const began = performance.now();
  for (let dueMs = began; dueMs < began + ms; dueMs += 1000 / perSecond) {
    const early = dueMs - performance.now();
    if (early > 0) await sleep(early);
    asked.push(ask(dueMs));
  }
  await Promise.all(asked);
  for (const connection of idle) connection.close();
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}
