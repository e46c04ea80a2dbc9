/** The number of injections of each fault. */
export interface Counts {
  /** A service leaves its group and joins it again: two rebalances each. */
  readonly restarts: number;
  readonly serviceKills: number;
  readonly brokerKills: number;
}

const full: Counts = { restarts: 10, serviceKills: 20, brokerKills: 5 };
const short: Counts = { restarts: 2, serviceKills: 2, brokerKills: 1 };

/** The whole campaign, or with `CAMPAIGN=short` each fault once or twice. */
export const counts: Counts = process.env['CAMPAIGN'] === 'short' ? short : full;

/** Requests a second; a fifth of them are writes. */
export const requestsPerSecond = 100;
