import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Signal, startRounds, withTimeout } from './timers.js';

const late = (): never => {
  throw new Error('late');
};

describe('work with a timeout', () => {
  it('settles as the work does when that is in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), 1_000, late)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('broken')), 1_000, late)).rejects.toThrow(
      'broken',
    );
  });

  it('has the outcome of being late otherwise, and nobody is left with its failure', async () => {
    const failing = async (): Promise<never> => {
      await sleep(10);
      throw new Error('too late to matter');
    };
    expect(await withTimeout(failing(), 1, () => 'late')).toBe('late');
    await expect(withTimeout(failing(), -1, late)).rejects.toThrow('late');
    // An unhandled rejection would fail this run.
    await sleep(20);
  });
});

describe('a signal', () => {
  it('ends the wait under way, or the next one, and only one', async () => {
    const signal = new Signal();
    const waiting = signal.wait(60_000);
    signal.notify();
    await waiting;
    signal.notify();
    signal.notify();
    await signal.wait(60_000);
    const beganMs = performance.now();
    await signal.wait(20);
    expect(performance.now() - beganMs).toBeGreaterThan(15);
  });
});

describe('rounds', () => {
  it('go on after one that failed, and its failure is told', async () => {
    const failures: unknown[] = [];
    let count = 0;
    const failing = new Error('once');
    const done = new Promise<void>((resolve) => {
      const stop = startRounds(
        async () => {
          count++;
          if (count === 1) throw failing;
          await Promise.resolve();
          if (count === 3) void stop().then(resolve);
        },
        { everyMs: 1, onFailure: (error) => failures.push(error) },
      );
    });
    await done;
    await sleep(20);
    expect({ count, failures }).toEqual({ count: 3, failures: [failing] });
  });

  it('are stopped once the round under way, which is told of it, is over', async () => {
    let isOver = false;
    const begun = Promise.withResolvers<undefined>();
    const stop = startRounds(
      async (stopping) => {
        begun.resolve(undefined);
        while (!stopping.aborted) await sleep(5);
        await sleep(20);
        isOver = true;
      },
      { everyMs: 1, onFailure: () => undefined },
    );
    await begun.promise;
    await stop();
    expect(isOver).toBe(true);
  });

  it('begin after the pause, and not once stopped', async () => {
    let count = 0;
    const round = (): Promise<void> => {
      count++;
      return Promise.resolve();
    };
    const stop = startRounds(round, { everyMs: 60_000, onFailure: () => undefined });
    await stop();
    expect(count).toBe(0);
  });
});
