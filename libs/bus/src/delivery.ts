import { setTimeout as sleep } from 'node:timers/promises';
import type { EventHandler, EventRecord } from './bus.js';

/** How often an event is tried, and how long after each other. */
export interface Retry {
  readonly attemptsMax: number;
  readonly firstDelayMs: number;
  readonly delayMaxMs: number;
}

/** Ten attempts over some fifty seconds: longer than a restart of what the handler needs. */
export const defaultRetry: Retry = { attemptsMax: 10, firstDelayMs: 100, delayMaxMs: 30_000 };

/** Why an event is parked. */
export interface Parked {
  readonly cause: unknown;
  readonly attempts: number;
}

/** The pause after an attempt: doubling, so that what is down is left alone to come up. */
export const delayAfter = (attempt: number, { firstDelayMs, delayMaxMs }: Retry): number =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), delayMaxMs);

/** What ends a delivery before its attempts are used up. */
export interface Ending {
  /** The event is neither handled nor parked. */
  readonly stopped: AbortSignal;
  /** The next failure is the last: too much waits behind this event. */
  readonly isPressed?: () => boolean;
}

/**
 * Delivers an event until its handler takes it; says why when it never did.
 * @throws AbortError when stopped between two attempts: the event is neither handled nor parked.
 */
export async function deliver(
  event: EventRecord,
  handler: EventHandler,
  retry: Retry,
  { stopped, isPressed = () => false }: Ending,
): Promise<Parked | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    stopped.throwIfAborted();
    try {
      await handler(event);
      return undefined;
    } catch (cause) {
      if (attempt >= retry.attemptsMax || isPressed()) return { cause, attempts: attempt };
    }
    await sleep(delayAfter(attempt, retry), undefined, { signal: stopped });
  }
}
