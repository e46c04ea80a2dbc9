import { describe, expect, it } from '@jest/globals';
import { InFlight, Shares } from './in-use.js';

describe('Shares', () => {
  it('count what each key and all have, until it is given back once', () => {
    const shares = new Shares();
    const first = shares.take(['a', 'b'], 5);
    const second = shares.take(['a']);
    expect([shares.of('a'), shares.of('b'), shares.of('c'), shares.all]).toEqual([6, 5, 0, 6]);
    first();
    first();
    expect([shares.of('a'), shares.of('b'), shares.all]).toEqual([1, 0, 1]);
    second();
    expect([shares.of('a'), shares.all]).toEqual([0, 0]);
  });
});

describe('tasks in flight', () => {
  it('are counted until they settle, whichever way, and waited for by a stop', async () => {
    const inFlight = new InFlight();
    await inFlight.none();
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const ending = [first, second].map(({ promise }) => inFlight.track(() => promise));
    let stopped = false;
    const stopping = inFlight.none().then(() => (stopped = true));
    expect(inFlight.size).toBe(2);
    first.resolve('done');
    expect(await ending[0]).toBe('done');
    expect([inFlight.size, stopped]).toEqual([1, false]);
    second.reject(new Error('broken'));
    await expect(ending[1]).rejects.toThrow('broken');
    await stopping;
    expect(inFlight.size).toBe(0);
  });
});
