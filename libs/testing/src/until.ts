import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Nearly as long as a test may take: what is awaited is an event, and not its time. */
const longestMs = 240_000;
const pauseMs = 20;

/**
 * Waits until a condition holds.
 * @throws Error when it does not
 */
export async function until(
  holds: () => Promise<boolean> | boolean,
  withinMs = longestMs,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms: ${String(holds)}`);
    await sleep(pauseMs);
  }
}

/**
 * Asks until the answer is as wanted.
 * @throws Error with the last answer when it never is
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  isWanted: (answer: T) => boolean,
  withinMs = longestMs,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms; at last: ${inspect(answer).slice(0, 2_000)}`);
    await sleep(pauseMs);
  }
}
