import { setTimeout as sleep } from 'node:timers/promises';
import { UnverifiedRecord, type EventHandler, type EventRecord } from './bus.js';

/** The number of attempts that an event has, and the pauses between them. */
export interface Retry {
  readonly attemptsMax: number;
  readonly firstDelayMs: number;
  readonly delayMaxMs: number;
}

/** Ten attempts over some fifty seconds: longer than a restart of a database or service that the handler needs. */
export const defaultRetry: Retry = { attemptsMax: 10, firstDelayMs: 100, delayMaxMs: 30_000 };

/** Why an event could not be handled. */
export interface DeliveryFailure {
  readonly cause: unknown;
  readonly attempts: number;
}

/** The pause after an attempt: exponential back-off. */
export const delayAfter = (attempt: number, { firstDelayMs, delayMaxMs }: Retry): number =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), delayMaxMs);

/** Conditions that end a delivery before its attempts are used up. */
export interface DeliveryEnd {
  /** Stops the delivery; the event is neither handled nor dead-lettered. */
  readonly stopped: AbortSignal;
  /** True makes the next failure the last one: too much waits behind this event. */
  readonly isPressed?: () => boolean;
}

/**
 * Delivers an event until its handler succeeds or the attempts are used up.
 * @returns the failure of the last attempt; undefined when the event was handled
 * @throws AbortError when stopped between two attempts
 */
export async function deliver(
  event: EventRecord,
  handler: EventHandler,
  retry: Retry,
  { stopped, isPressed = () => false }: DeliveryEnd,
): Promise<DeliveryFailure | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    stopped.throwIfAborted();
    try {
      await handler(event);
      return undefined;
    } catch (cause) {
      const isFinal = cause instanceof UnverifiedRecord || attempt >= retry.attemptsMax;
      if (isFinal || isPressed()) return { cause, attempts: attempt };
    }
    await sleep(delayAfter(attempt, retry), undefined, { signal: stopped });
  }
}
