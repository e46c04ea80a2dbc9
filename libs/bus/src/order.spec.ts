import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Order, Slots } from './order.js';

/** Tasks that note when they begin, and end when they are told to. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const task = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  return { begun, task, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

describe('order', () => {
  it('begins a task when the one before it of its key has ended, others at once', async () => {
    const { begun, task, end } = tasks();
    const order = new Order();
    const first = order.run('a', task('a1'));
    const second = order.run('a', task('a2'));
    void order.run('b', task('b1'));
    void order.run(null, task('none'));
    expect(begun).toEqual(['a1', 'b1', 'none']);
    end('a1');
    expect(await first).toBe('a1');
    await sleep(1);
    expect(begun).toEqual(['a1', 'b1', 'none', 'a2']);
    end('a2');
    expect(await second).toBe('a2');
  });

  it('goes on after a task that failed, and tells its caller alone', async () => {
    const { task, end } = tasks();
    const order = new Order();
    const first = order.run('a', task('a1'));
    const second = order.run('a', task('a2'));
    end('a1', new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await sleep(1);
    end('a2');
    expect(await second).toBe('a2');
  });
});

describe('order, again and again', () => {
  it('runs all of a key in the order given, whoever comes when one hands on, and after a rest', async () => {
    const order = new Order();
    const ended: number[] = [];
    const task = (n: number, wait: number) => async () => {
      await sleep(wait);
      ended.push(n);
      if (n % 3 === 0) throw new Error('broken');
    };
    const run = (n: number, wait: number): Promise<unknown> =>
      order.run('a', task(n, wait)).catch(() => undefined);
    const first = run(0, 2);
    const rest = [1, 2, 3].map((n) => run(n, 3 - n));
    // In the turn in which the key is handed on.
    const late = first.then(() => run(4, 0));
    await Promise.all([first, ...rest, late]);
    await run(5, 0);
    await run(6, 0);
    expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('slots', () => {
  it('run as many tasks as there are places, and the rest in their turn', async () => {
    const { begun, task, end } = tasks();
    const slots = new Slots(2);
    const all = ['1', '2', '3', '4'].map((name) => slots.run(task(name)));
    expect(begun).toEqual(['1', '2']);
    end('2', new Error('broken'));
    await expect(all[1]).rejects.toThrow('broken');
    await sleep(1);
    expect(begun).toEqual(['1', '2', '3']);
    end('1');
    await sleep(1);
    expect(begun).toEqual(['1', '2', '3', '4']);
    end('3');
    end('4');
    await Promise.all([all[0], all[2], all[3]]);
    const last = slots.run(task('5'));
    end('5');
    expect(await last).toBe('5');
  });
});
