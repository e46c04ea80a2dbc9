import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds, nearly as long as a test may take; fails with its description. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 240_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}
