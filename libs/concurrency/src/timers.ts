import { setTimeout as sleep } from 'node:timers/promises';

/** An auto-reset event for one waiter: a notification without a waiter ends the next wait at once. */
export class Signal {
  private isSet = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.isSet = true;
    this.wake?.();
  }

  /** Resolves at a notification, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.isSet = false;
  }
}

/** The interval of rounds, and the handler of failed ones. */
export interface RoundsOptions {
  /** The pause before each round. */
  readonly everyMs: number;
  /** Called for a failed round; the rounds continue. */
  readonly onFailure: (error: unknown) => void;
  /** Calls `wake` where a round is not to wait for the end of its pause, until what it returns is called. */
  readonly on?: (wake: () => void) => () => void;
}

/**
 * Repeats a piece of work, with a pause before each round. The pauses do not keep the process alive.
 *
 * @param round receives the signal of the stop, to end a long round early
 * @returns a function that stops it, and resolves when the current round is over
 */
export function startRounds(
  round: (stopping: AbortSignal) => Promise<void>,
  { everyMs, onFailure, on }: RoundsOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let pause = new AbortController();
  const unsubscribe = on?.(() => pause.abort());
  const rounds = async (): Promise<void> => {
    for (;;) {
      await sleep(everyMs, undefined, { ref: false, signal: pause.signal }).catch(() => undefined);
      if (signal.aborted) return;
      pause = new AbortController();
      await round(signal).catch(onFailure);
    }
  };
  const ended = rounds();
  return async () => {
    unsubscribe?.();
    stopping.abort();
    pause.abort();
    await ended;
  };
}
