import { describe, expect, it } from '@jest/globals';
import { Signal } from './signal.js';

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
