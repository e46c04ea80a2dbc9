import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const kibi = 1024;

describe('turns', () => {
  it('are those of who came first, as long as there is something of theirs', async () => {
    const turns = new Turns();
    const [first, second] = [turns.place(), turns.place()];
    const done: string[] = [];
    const piece = async (place: number, what: string): Promise<void> => {
      await turns.mine(place, 64 * kibi);
      done.push(what);
    };
    await Promise.all([piece(second, 'b1'), piece(second, 'b2'), piece(first, 'a1')]);
    await piece(second, 'b3');
    expect(done).toEqual(['a1', 'b1', 'b2', 'b3']);
  });

  it('leave the event loop to others between two pieces', async () => {
    const turns = new Turns();
    const place = turns.place();
    const over = new AbortController();
    let others = 0;
    const counting = (async () => {
      for (; !over.signal.aborted; others++) await nextTurn();
    })();
    for (let i = 0; i < 50; i++) await turns.mine(place, 1);
    over.abort();
    await counting;
    expect(others).toBeGreaterThanOrEqual(49);
  });

  it('come no faster than the bytes may', async () => {
    const turns = new Turns();
    const [one, other] = [turns.place(), turns.place()];
    const began = performance.now();
    for (let i = 0; i < 40; i++) {
      await Promise.all([turns.mine(one, 64 * kibi), turns.mine(other, 64 * kibi)]);
    }
    // 5 MiB, of which the last piece is not waited for.
    expect(performance.now() - began).toBeGreaterThan(190);
  });
});
