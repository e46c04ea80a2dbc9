import { describe, expect, it } from '@jest/globals';
import { InFlight } from './in-flight.js';

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
