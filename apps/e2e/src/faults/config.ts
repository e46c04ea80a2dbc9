import { isFullRun } from '@postroom/testing/repetitions';

/** The number of injections of each fault. */
export interface Counts {
  /** A service leaves its group and joins it again: two rebalances each. */
  readonly restarts: number;
  readonly serviceKills: number;
  readonly brokerKills: number;
}

const full: Counts = { restarts: 10, serviceKills: 20, brokerKills: 5 };
const short: Counts = { restarts: 2, serviceKills: 2, brokerKills: 1 };

/** All of them in `npm run test:full`, otherwise each fault once or twice. */
export const counts: Counts = isFullRun() ? full : short;

/** Requests a second; a fifth of them are writes. */
export const requestsPerSecond = 100;
