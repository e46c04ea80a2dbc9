import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds. @throws Error when it does not in time */
export async function until(
  holds: () => Promise<boolean> | boolean,
  withinMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms: ${String(holds)}`);
    await sleep(50);
  }
}
