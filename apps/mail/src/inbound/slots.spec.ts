import { describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { Slots } from './slots.js';

describe('Slots', () => {
  it('runs so many at once and no more, in the order they came', async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        slots.run(async () => {
          begun.push(i);
          most = Math.max(most, ++running);
          await wait(1);
          running -= 1;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('passes the place on when one fails', async () => {
    const slots = new Slots(1);
    const failing = slots.run(() => Promise.reject(new Error('no')));
    const next = slots.run(() => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
