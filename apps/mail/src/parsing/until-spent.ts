import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** What a thread may spend on one task. */
export interface TimeLimits {
  /** Milliseconds of CPU: a thread that goes behind others may wait most of the time. */
  readonly cpuMs: number;
  /** Milliseconds of the clock, for whoever waits for the answer. */
  readonly clockMs: number;
}

const shortestWaitMs = 10;

/**
 * Resolves when a thread has spent what it may since it began.
 *
 * @param begun what `process.threadCpuUsage()` was in the thread then
 * @throws Error when `signal` aborts, or the thread is gone
 */
export async function untilSpent(
  thread: Pick<Worker, 'cpuUsage'>,
  begun: NodeJS.CpuUsage,
  limits: TimeLimits,
  signal: AbortSignal,
): Promise<void> {
  const endMs = performance.now() + limits.clockMs;
  let leftMs = limits.cpuMs;
  while (leftMs > 0 && performance.now() < endMs) {
    const waitMs = Math.min(leftMs, endMs - performance.now());
    await wait(Math.max(waitMs, shortestWaitMs), undefined, { signal });
    const { user, system } = await thread.cpuUsage(begun);
    leftMs = limits.cpuMs - (user + system) / 1000;
  }
}
