import { withTimeout } from '@postroom/concurrency';
import { BusUnavailable } from './bus.js';

/**
 * Settles as the work does if that is before the deadline, in epoch milliseconds. Late work goes on,
 * and its outcome is ignored.
 * @throws BusUnavailable `deadline` when the deadline passes first
 */
export const beforeDeadline = <T>(work: Promise<T>, deadlineMs: number): Promise<T> =>
  withTimeout(work, deadlineMs - Date.now(), () => {
    throw new BusUnavailable('deadline');
  });
