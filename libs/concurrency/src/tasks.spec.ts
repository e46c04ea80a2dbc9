import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { InFlight, KeyedMutex, withTimeout } from './tasks.js';

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

describe('tasks of a keyed mutex', () => {
  it('begin when the one before them of their key has ended; those of other keys begin at once', async () => {
    const { begun, task, end } = tasks();
    const mutex = new KeyedMutex();
    const first = mutex.runInOrder('a', task('a1'));
    const second = mutex.runInOrder('a', task('a2'));
    void mutex.runInOrder('b', task('b1'));
    void mutex.runInOrder(null, task('none'));
    expect(begun).toEqual(['a1', 'b1', 'none']);
    end('a1');
    expect(await first).toBe('a1');
    await sleep(1);
    expect(begun).toEqual(['a1', 'b1', 'none', 'a2']);
    end('a2');
    expect(await second).toBe('a2');
  });

  it('run after one that failed, whose caller alone has the failure', async () => {
    const { task, end } = tasks();
    const mutex = new KeyedMutex();
    const first = mutex.runInOrder('a', task('a1'));
    const second = mutex.runInOrder('a', task('a2'));
    end('a1', new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await sleep(1);
    end('a2');
    expect(await second).toBe('a2');
  });
});

describe('tasks of a keyed mutex under load', () => {
  it('run in the order given, also those that come while one ends, and after an idle time', async () => {
    const mutex = new KeyedMutex();
    const ended: number[] = [];
    const task = (n: number, wait: number) => async () => {
      await sleep(wait);
      ended.push(n);
      if (n % 3 === 0) throw new Error('broken');
    };
    const run = (n: number, wait: number): Promise<unknown> =>
      mutex.runInOrder('a', task(n, wait)).catch(() => undefined);
    const first = run(0, 2);
    const rest = [1, 2, 3].map((n) => run(n, 3 - n));
    // Added in the turn of the event loop in which the first one ends.
    const late = first.then(() => run(4, 0));
    await Promise.all([first, ...rest, late]);
    await run(5, 0);
    await run(6, 0);
    expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
