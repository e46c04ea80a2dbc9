import { describe, expect, it } from '@jest/globals';
import { defaultRetry, delayAfter, deliver } from './delivery.js';
import { eventOf } from './testing/messages.js';

const retry = { attemptsMax: 3, firstDelayMs: 1, delayMaxMs: 2 };
const never = { stopped: new AbortController().signal };

describe('delivery', () => {
  it('ends with the first attempt that succeeds', async () => {
    let attempts = 0;
    const handler = async (): Promise<void> => {
      if ((attempts += 1) < 3) throw new Error('not yet');
    };
    expect(await deliver(eventOf('cnv_1'), handler, retry, never)).toBeUndefined();
    expect(attempts).toBe(3);
  });

  it('says with what the last attempt failed, and how many there were', async () => {
    let attempts = 0;
    const handler = (): Promise<void> => Promise.reject(new Error(`no ${(attempts += 1)}`));
    expect(await deliver(eventOf('cnv_1'), handler, retry, never)).toEqual({
      cause: new Error('no 3'),
      attempts: 3,
    });
  });

  it('when stopped between two attempts neither succeeds nor gives up', async () => {
    const stopping = new AbortController();
    const handler = (): Promise<void> => Promise.reject(new Error('down'));
    const slow = { ...retry, firstDelayMs: 60_000, delayMaxMs: 60_000 };
    const delivering = deliver(eventOf('cnv_1'), handler, slow, { stopped: stopping.signal });
    stopping.abort();
    await expect(delivering).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('ends with the attempt under way when too much waits behind it', async () => {
    const handler = (): Promise<void> => Promise.reject(new Error('down'));
    const pressed = { ...never, isPressed: () => true };
    expect(await deliver(eventOf('cnv_1'), handler, retry, pressed)).toMatchObject({ attempts: 1 });
  });

  it('waits twice as long after each attempt, up to the most', () => {
    const delays = [1, 2, 3, 9, 10].map((attempt) => delayAfter(attempt, defaultRetry));
    expect(delays).toEqual([100, 200, 400, 25_600, 30_000]);
  });
});
