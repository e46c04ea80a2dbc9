import { setTimeout as sleep } from 'node:timers/promises';
import { beforeDeadline } from '../deadline.js';

const againAfterMs = 100;

/** What was asked for has been taken, and does not show yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly retriable = true;
}

/**
 * Does work until it succeeds or its failure is not one that passes. A broker that has just started,
 * or a topic that was made this moment, is refused by its leader or coordinator for a while; kafkajs
 * gives some of these up at the first refusal.
 * @throws what the work throws, for good or still when the time is up
 * @throws BusUnavailable `deadline` when it does not end
 */
export async function retriable<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    try {
      return await beforeDeadline(work(), endMs);
    } catch (err) {
      if (!isPassing(err) || Date.now() + againAfterMs >= endMs) throw err;
      await sleep(againAfterMs);
      // It slept too long: what failed says more than that the time is up.
      if (Date.now() >= endMs) throw err;
    }
  }
}

/** Whether a failure passes by itself. A TypeError is kafkajs reading in metadata that no broker gave. */
export const isPassing = (err: unknown): boolean =>
  err instanceof TypeError ||
  (err instanceof Error &&
    'retriable' in err &&
    (err.retriable === true || (err.name === 'KafkaJSNonRetriableError' && isPassing(err.cause))));
