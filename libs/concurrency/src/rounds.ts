import { setTimeout as sleep } from 'node:timers/promises';

/** When rounds are made, and who is told of one that failed. */
export interface RoundsOptions {
  /** The pause before each round. */
  readonly everyMs: number;
  /** The next round is made all the same. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Does something again and again, with a pause before each time. The pauses do not keep the process alive.
 *
 * @param round is given the signal of the stop, to end early when it takes long
 * @returns how to stop it: resolves when the round under way is over
 */
export function startRounds(
  round: (stopping: AbortSignal) => Promise<void>,
  { everyMs, onFailure }: RoundsOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rounds = async (): Promise<void> => {
    for (;;) {
      await sleep(everyMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      await round(signal).catch(onFailure);
    }
  };
  const ended = rounds();
  return async () => {
    stopping.abort();
    await ended;
  };
}
