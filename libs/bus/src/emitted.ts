import { BusUnavailable, type Emitted, type EventRecord } from './bus.js';

/** What became of events, of each one by its own outcome. */
export function emittedOf(
  events: readonly EventRecord[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): Emitted {
  const stored = events.filter((_, at) => outcomes[at]?.status === 'fulfilled');
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  return { stored: stored.map(({ id }) => id), failure: failed ? asFailure(failed.reason) : null };
}

const asFailure = (cause: unknown): BusUnavailable =>
  cause instanceof BusUnavailable ? cause : new BusUnavailable('no-broker', { cause });
