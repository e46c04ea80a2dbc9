import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds: nearly as long as a test may take, since what is awaited is an event and not its time.
 * @throws Error when it does not
 */
export async function until(
  holds: () => Promise<boolean> | boolean,
  withinMs = 240_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms: ${String(holds)}`);
    await sleep(50);
  }
}
