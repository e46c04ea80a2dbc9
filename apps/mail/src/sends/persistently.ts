import { setTimeout as sleep } from 'node:timers/promises';
import { asProblem } from '@postroom/operations';

const firstPauseMs = 200;
const longestPauseMs = 10_000;
const altogetherMs = 10 * 60_000;

/**
 * Repeats what has to be written down for as long as the database is away, ten minutes at most: the
 * message is gone already.
 * @throws what it threw last, or what is no passing trouble
 */
export async function persistently<T>(write: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + altogetherMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      const isPassing = asProblem(error).code === 'SERVICE_UNAVAILABLE';
      if (!isPassing || performance.now() >= untilMs) throw error;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
}
