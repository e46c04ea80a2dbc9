import { BusUnavailable } from './bus.js';

/**
 * Settles as the work does, in time; what is late goes on unwatched.
 * @throws BusUnavailable `deadline` when it passes first
 */
export async function beforeDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        reject(new BusUnavailable('deadline'));
      },
      Math.max(0, deadlineMs - Date.now()),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
