import type { LoadRequest } from './load.js';

/** The outcomes of the requests of a phase. */
export interface Tally {
  readonly asked: number;
  readonly writes: number;
  readonly succeeded: number;
  /** 503: no reply came within the deadline. */
  readonly unavailable: number;
  /** Any other answer than success; none is expected. */
  readonly otherwise: number;
  readonly cutOff: number;
  readonly late: number;
  readonly slowestMs: number;
}

export function tallyOf(asked: readonly LoadRequest[]): Tally {
  const count = (is: (one: LoadRequest) => boolean): number => asked.filter(is).length;
  const known = [200, 503, 'cut off', 'late'];
  return {
    asked: asked.length,
    writes: count(({ write }) => write !== null),
    succeeded: count(({ outcome }) => outcome === 200),
    unavailable: count(({ outcome }) => outcome === 503),
    otherwise: count(({ outcome }) => !known.includes(outcome)),
    cutOff: count(({ outcome }) => outcome === 'cut off'),
    late: count(({ outcome }) => outcome === 'late'),
    slowestMs: Math.round(Math.max(0, ...asked.map(({ sentMs, endedMs }) => endedMs - sentMs))),
  };
}

/** The longest wait for an answer between a fault and a later moment. */
export function longestWait(
  fromMs: number,
  untilMs: number,
  asked: readonly LoadRequest[],
): number {
  const waits = asked
    .filter(({ sentMs, endedMs }) => endedMs > fromMs && sentMs < untilMs)
    .filter(({ outcome }) => outcome !== 'cut off')
    .map(({ sentMs, endedMs }) => endedMs - Math.max(sentMs, fromMs));
  return Math.round(Math.max(0, ...waits));
}

/** Only a rebalance makes a request wait this long. */
const heldUpMs = 2_000;

/**
 * The time from a fault to the first answer to a request that it delayed; zero when it delayed
 * none.
 */
export function firstOfTheHeldUp(
  fromMs: number,
  untilMs: number,
  asked: readonly LoadRequest[],
): number {
  const ends = asked
    .filter(({ sentMs, outcome }) => sentMs < untilMs && outcome === 200)
    .filter(({ sentMs, endedMs }) => endedMs - Math.max(sentMs, fromMs) > heldUpMs)
    .map(({ endedMs }) => endedMs - fromMs);
  return ends.length === 0 ? 0 : Math.round(Math.min(...ends));
}
