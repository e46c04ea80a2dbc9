import { BusUnavailable, type EmitResult, type EventRecord } from './bus.js';

/** The result of emitting events, from the outcome of each one. */
export function emitResult(
  events: readonly EventRecord[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): EmitResult {
  const stored = events.filter((_, at) => outcomes[at]?.status === 'fulfilled');
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  return { stored: stored.map(({ id }) => id), failure: failed ? failureOf(failed.reason) : null };
}

const failureOf = (cause: unknown): BusUnavailable =>
  cause instanceof BusUnavailable ? cause : new BusUnavailable('no-broker', { cause });
