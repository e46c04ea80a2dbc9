import { setTimeout as sleep } from 'node:timers/promises';
import { asProblem } from '@postroom/operations';

const firstPauseMs = 200;
const longestPauseMs = 10_000;
const retriesMs = 10 * 60_000;

/**
 * Retries a write that must not be lost (the message has left already) while the database is
 * unavailable, for ten minutes at most.
 * @throws the last error, or at once any other than unavailability
 */
export async function retryWhileUnavailable<T>(write: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + retriesMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      const isUnavailable = asProblem(error).code === 'SERVICE_UNAVAILABLE';
      if (!isUnavailable || performance.now() >= untilMs) throw error;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
}
