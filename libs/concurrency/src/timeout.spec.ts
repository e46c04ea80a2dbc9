import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { withTimeout } from './timeout.js';

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
