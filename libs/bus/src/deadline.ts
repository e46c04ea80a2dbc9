import { BusUnavailable } from './bus.js';

/**
 * Settles as the work does if that is before the deadline. Late work goes on, and its outcome is
 * ignored.
 * @throws BusUnavailable `deadline` when the deadline passes first
 */
export function beforeDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => reject(new BusUnavailable('deadline'));
    const timer = setTimeout(expire, Math.max(0, deadlineMs - Date.now()));
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      // A blocked event loop settles late work before it runs the timer.
      if (Date.now() >= deadlineMs) expire();
      else settle();
    };
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error as Error)),
    );
  });
}
