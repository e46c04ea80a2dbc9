import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue, type Turn } from './fair-queue.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose tasks note when they begin, and end when they are told to. */
function watched(options: ConstructorParameters<typeof FairQueue>[0]) {
  const queue = new FairQueue(options);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (name: string, turn?: Turn): Promise<string> => {
    const result = queue.run(
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          ends.set(name, (error) => (error ? reject(error) : resolve(name)));
        }),
      turn,
    );
    // Awaited by the specs that care.
    result.catch(() => undefined);
    return result;
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settled();
  };
  return { begun, add, end };
}

describe('a fair queue', () => {
  it('runs as many tasks as it has capacity for, and the rest in the order they came', async () => {
    const { begun, add, end } = watched({ capacity: 2 });
    const [, second] = ['1', '2', '3', '4'].map((name) => add(name));
    expect(begun).toEqual(['1', '2']);
    await end('2', new Error('broken'));
    await expect(second).rejects.toThrow('broken');
    expect(begun).toEqual(['1', '2', '3']);
    await end('1');
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('takes turns between keys, however much of one waits', async () => {
    const { begun, add, end } = watched({ capacity: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
      void add(name, { key: name.charAt(0) });
    for (let at = 0; at < 6; at += 1) await end(begun[at] ?? '');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('refuses a task when as many of its key wait as may, and takes those of other keys', async () => {
    const { begun, add } = watched({ capacity: 1, waitingMaxPerKey: 1, waitingMax: 2 });
    void add('a1', { key: 'a' });
    void add('a2', { key: 'a' });
    await expect(add('a3', { key: 'a' })).rejects.toMatchObject({ reason: 'full for this key' });
    void add('b1', { key: 'b' });
    await expect(add('c1', { key: 'c' })).rejects.toMatchObject({ reason: 'full' });
    expect(begun).toEqual(['a1']);
  });

  it('runs no more of a key than its share, and those of others meanwhile', async () => {
    const { begun, add, end } = watched({ capacity: 3, capacityPerKey: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
      void add(name, { key: name.charAt(0) });
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
    await end('b2');
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'a4']);
  });

  it('lets a heavy task run alone, and no lighter one overtake it', async () => {
    const { begun, add, end } = watched({ capacity: 10 });
    const weights = { first: 6, second: 3, heavy: 50, behind: 1 };
    for (const [key, weight] of Object.entries(weights)) void add(key, { key, weight });
    expect(begun).toEqual(['first', 'second']);
    await end('second');
    expect(begun).toEqual(['first', 'second']);
    await end('first');
    expect(begun).toEqual(['first', 'second', 'heavy']);
    await end('heavy');
    expect(begun).toEqual(['first', 'second', 'heavy', 'behind']);
  });

  it('gives up a wait that takes too long or is aborted, and begins what waited behind it', async () => {
    const { begun, add, end } = watched({ capacity: 2 });
    void add('first');
    const late = add('late', { weight: 2, waitMaxMs: 5 });
    const stopping = new AbortController();
    const aborted = add('aborted', { weight: 2, signal: stopping.signal });
    void add('behind');
    await expect(late).rejects.toMatchObject({ name: 'QueueRefused', reason: 'timeout' });
    expect(begun).toEqual(['first']);
    stopping.abort(new Error('stopping'));
    await expect(aborted).rejects.toThrow('stopping');
    await settled();
    expect(begun).toEqual(['first', 'behind']);
    await expect(add('never', { signal: stopping.signal })).rejects.toThrow('stopping');
    await end('first');
    expect(begun).not.toContain('never');
  });

  it('leaves a task alone that has begun', async () => {
    const { add, end } = watched({ capacity: 1 });
    const stopping = new AbortController();
    const running = add('running', { waitMaxMs: 1, signal: stopping.signal });
    stopping.abort();
    await sleep(5);
    await end('running');
    expect(await running).toBe('running');
  });
});

/** A task of a random history. */
interface Task {
  readonly key: string;
  readonly weight: number;
  readonly abort: AbortController;
  readonly end: () => void;
  state: 'waiting' | 'running' | 'over';
  /** Keys whose tasks have begun while this one was the next of its own key. */
  overtakenBy: string[];
}

const capacity = 4;

/** Drives a queue through a history, and checks after each step what always holds. */
class History {
  private readonly queue = new FairQueue({ capacity, waitingMaxPerKey: 3, waitingMax: 6 });
  private readonly tasks: Task[] = [];

  async add(key: string, weight: number): Promise<void> {
    const waiting = this.in('waiting');
    const isFull = waiting.length >= 6 || waiting.filter((task) => task.key === key).length >= 3;
    const { promise, resolve } = Promise.withResolvers<void>();
    const abort = new AbortController();
    const task: Task = { key, weight, abort, end: resolve, state: 'waiting', overtakenBy: [] };
    this.tasks.push(task);
    const running = this.queue.run(
      () => {
        this.begin(task);
        return promise;
      },
      { key, weight, signal: abort.signal },
    );
    const over = running.then(
      () => 'ended',
      (error: unknown) => (error instanceof Error ? error.name : 'aborted'),
    );
    void over.then(() => (task.state = 'over'));
    await settled();
    const mustWait = this.in('waiting').includes(task) || task.state === 'over';
    if (isFull && mustWait) expect(await over).toBe('QueueRefused');
    else expect(task.state).not.toBe('over');
    this.check();
  }

  async end(which: number): Promise<void> {
    const running = this.in('running');
    running[which % running.length]?.end();
    await settled();
    this.check();
  }

  async abort(which: number): Promise<void> {
    const waiting = this.in('waiting');
    waiting[which % waiting.length]?.abort.abort();
    await settled();
    this.check();
  }

  async finish(): Promise<void> {
    while (this.in('running').length > 0) await this.end(0);
    expect(this.tasks.filter(({ state }) => state !== 'over')).toEqual([]);
  }

  private begin(task: Task): void {
    const heads = this.heads();
    // First come, first served within a key.
    expect(heads.get(task.key)).toBe(task);
    for (const head of heads.values()) {
      if (head !== task) head.overtakenBy.push(task.key);
    }
    task.state = 'running';
    // A round gives each key one turn; a key has its next one in the round after the last of its tasks that ran.
    const turns = Map.groupBy(task.overtakenBy, (key) => key);
    expect(Math.max(0, ...[...turns.values()].map(({ length }) => length))).toBeLessThanOrEqual(2);
  }

  private check(): void {
    const used = this.in('running').reduce((sum, { weight }) => sum + weight, 0);
    expect(used).toBeLessThanOrEqual(capacity);
    const heads = [...this.heads().values()];
    // Nothing waits behind a queue that has room for everything.
    if (heads.length > 0) {
      expect(heads.some(({ weight }) => used + weight > capacity)).toBe(true);
    }
  }

  private heads(): Map<string, Task> {
    return new Map(
      this.in('waiting')
        .toReversed()
        .map((task) => [task.key, task]),
    );
  }

  private in(state: Task['state']): Task[] {
    return this.tasks.filter((task) => task.state === state);
  }
}

const step = fc.oneof(
  fc.tuple(
    fc.constant('add' as const),
    fc.constantFrom('a', 'b', 'c'),
    fc.integer({ min: 1, max: 4 }),
  ),
  fc.tuple(fc.constantFrom('end' as const, 'abort' as const), fc.nat(20)),
);

describe('any history of a fair queue', () => {
  it('keeps to the capacity, the bounds, the order of a key and the turns between keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const history = new History();
        for (const each of steps) {
          if (each[0] === 'add') await history.add(each[1], each[2]);
          else await history[each[0]](each[1]);
        }
        await history.finish();
      }),
      { numRuns: 300 },
    );
  });
});
