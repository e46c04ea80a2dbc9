import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Batch } from './batch.js';

/** A batch whose sends end when they are told to. */
function held({ sendsMax = 5, ordered = false } = {}) {
  const sends: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const batch = new Batch<number>({
    sendsMax,
    ordered,
    send: (items) =>
      new Promise((resolve, reject) => {
        sends.push({ items, end: (error) => (error ? reject(error) : resolve()) });
      }),
  });
  return { batch, sends, sizes: () => sends.map(({ items }) => items.length) };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('a batch', () => {
  it('sends what one turn of the event loop brings in one go, in its order', async () => {
    const { batch, sends } = held();
    const all = Promise.all([
      batch.sendInBatch(1, 10),
      batch.sendInBatch(2, 10),
      batch.sendInBatch(3, 10),
    ]);
    await turn();
    expect(sends.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    sends[0]?.end();
    await all;
  });

  it('is cut after 256 items', async () => {
    const { batch, sizes } = held();
    for (const i of numbers(600)) void batch.sendInBatch(i, 1);
    await turn();
    expect(sizes()).toEqual([256, 256, 88]);
  });

  it('is cut before half a megabyte, and lets a larger item go alone', async () => {
    const { batch, sizes } = held();
    for (const i of numbers(3)) void batch.sendInBatch(i, 200 * 1024);
    void batch.sendInBatch(3, 1024 * 1024);
    await turn();
    expect(sizes()).toEqual([2, 1, 1]);
  });

  it('holds back what comes while all sends are under way, and sends that together', async () => {
    const { batch, sends, sizes } = held({ sendsMax: 1 });
    void batch.sendInBatch(1, 1);
    await turn();
    void batch.sendInBatch(2, 1);
    await turn();
    void batch.sendInBatch(3, 1);
    await turn();
    expect(sizes()).toEqual([1]);
    sends[0]?.end();
    await turn();
    await turn();
    expect(sizes()).toEqual([1, 2]);
  });

  it('drops what could not leave before its deadline', async () => {
    const { batch, sends, sizes } = held({ sendsMax: 1 });
    void batch.sendInBatch(1, 1);
    await turn();
    const late = batch.sendInBatch(2, 1, Date.now() - 1);
    sends[0]?.end();
    await expect(late).rejects.toMatchObject({ name: 'BusUnavailable', reason: 'deadline' });
    expect(sizes()).toEqual([1]);
  });

  it('lets go of what is past its deadline, though the sends under way never end', async () => {
    const { batch } = held({ sendsMax: 1 });
    void batch.sendInBatch(1, 1);
    await turn();
    const late = [
      batch.sendInBatch(2, 1, Date.now() + 50),
      batch.sendInBatch(3, 1, Date.now() + 1_500),
    ];
    for (const each of late) {
      await expect(each).rejects.toMatchObject({ name: 'BusUnavailable', reason: 'deadline' });
    }
  });

  it('tells each of its items that the send failed, and goes on', async () => {
    const { batch, sends } = held({ sendsMax: 1 });
    const lost = [batch.sendInBatch(1, 1), batch.sendInBatch(2, 1)];
    await turn();
    const next = batch.sendInBatch(3, 1);
    sends[0]?.end(new Error('no broker'));
    for (const each of lost) await expect(each).rejects.toThrow('no broker');
    await turn();
    sends[1]?.end();
    await next;
  });

  it('of ordered items takes those behind a failed send down with it', async () => {
    const { batch, sends } = held({ sendsMax: 1, ordered: true });
    const first = batch.sendInBatch(1, 1);
    await turn();
    const behind = batch.sendInBatch(2, 1);
    sends[0]?.end(new Error('no broker'));
    await expect(first).rejects.toThrow('no broker');
    await expect(behind).rejects.toThrow('no broker');
    expect(sends).toHaveLength(1);
  });
});
