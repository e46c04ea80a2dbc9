import { describe, expect, it } from '@jest/globals';
import { MemoryBudget } from './attempts.js';

const mebi = 1024 * 1024;

/** Work that goes on until it is told to end. */
function working(budget: MemoryBudget, bytes: number, tenantId = 'tnt_1') {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { begun: false, end: resolve, done: Promise.resolve() };
  state.done = budget.runWithin(tenantId, bytes, () => {
    state.begun = true;
    return promise;
  });
  return state;
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('the memory budget for messages', () => {
  it('never lets what is small wait', async () => {
    const budget = new MemoryBudget(10 * mebi);
    const large = [working(budget, 9 * mebi), working(budget, 9 * mebi)];
    const small = working(budget, 1_000);
    await turn();
    expect([...large.map(({ begun }) => begun), small.begun]).toEqual([true, false, true]);
  });

  it('refuses what is large when as many wait as may, and nothing that is small', async () => {
    const budget = new MemoryBudget(10 * mebi, { waitingMax: 1 });
    const [first, second] = [working(budget, 9 * mebi), working(budget, 9 * mebi)];
    const one = (bytes: number) => budget.runWithin('tnt_1', bytes, () => Promise.resolve('in'));
    await expect(one(2 * mebi)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await one(1_000)).toBe('in');
    first.end();
    await turn();
    expect(second.begun).toBe(true);
    const third = one(2 * mebi);
    second.end();
    expect(await third).toBe('in');
  });

  it('gives what is larger than all of it the whole', async () => {
    const budget = new MemoryBudget(10 * mebi);
    const huge = working(budget, 50 * mebi);
    const next = working(budget, 2 * mebi);
    await turn();
    expect([huge.begun, next.begun]).toEqual([true, false]);
    huge.end();
    await turn();
    expect(next.begun).toBe(true);
  });

  it('is given back by work that fails', async () => {
    const budget = new MemoryBudget(10 * mebi);
    const failing = budget.runWithin('tnt_1', 9 * mebi, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await budget.runWithin('tnt_1', 9 * mebi, () => Promise.resolve('in'))).toBe('in');
  });
});
