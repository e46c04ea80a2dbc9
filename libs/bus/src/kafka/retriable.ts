import { setTimeout as sleep } from 'node:timers/promises';
import { beforeDeadline } from '../deadline.js';

const retryAfterMs = 100;

/** A change was accepted and is not visible yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly retriable = true;
}

/**
 * Repeats work until it succeeds or fails permanently. While a broker has just started, or a topic was
 * just created, its leader or coordinator refuses requests; kafkajs does not retry some of these.
 * @throws the work's error, when it is permanent or when the time is up
 * @throws BusUnavailable `deadline` when the work does not end
 */
export async function retriable<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    try {
      return await beforeDeadline(work(), endMs);
    } catch (err) {
      if (!isTransient(err) || Date.now() + retryAfterMs >= endMs) throw err;
      await sleep(retryAfterMs);
      // The failure tells more than that the time is up.
      if (Date.now() >= endMs) throw err;
    }
  }
}

/** Whether a failure is transient. kafkajs throws a TypeError when it reads metadata that it has not received. */
export const isTransient = (err: unknown): boolean =>
  err instanceof TypeError ||
  (err instanceof Error &&
    'retriable' in err &&
    (err.retriable === true ||
      (err.name === 'KafkaJSNonRetriableError' && isTransient(err.cause))));
