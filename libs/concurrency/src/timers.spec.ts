import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Signal, startRounds } from './timers.js';

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
