import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Budget, type Turn } from './budget.js';
import { declareLimits, type Limit, type Share } from './declaration.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A budget of so much, all of it for any workspace unless told otherwise, in which tasks wait. */
function budgetOf(total: number, share: Share = total, more: Partial<Limit> = { waiting: {} }) {
  const full = { problem: 'SERVICE_UNAVAILABLE' } as const;
  const limit = { bounds: 'tasks', unit: 'places', total, full, ...more } as const;
  const shares = { workspace: share };
  return new Budget(declareLimits('spec', { tasks: { ...limit, shares } }).tasks);
}

/** A budget whose tasks note when they begin, and end when they are told to. */
function watched(...options: Parameters<typeof budgetOf>) {
  const budget = budgetOf(...options);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (name: string, turn?: Turn, workspace = name.charAt(0)): Promise<string> => {
    const result = budget.runInTurn(
      { workspace },
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

describe('what waits within a budget', () => {
  it('runs as many tasks as it has capacity for, and the rest in the order they came', async () => {
    const { begun, add, end } = watched(2);
    const [, second] = ['1', '2', '3', '4'].map((name) => add(name));
    expect(begun).toEqual(['1', '2']);
    await end('2', new Error('broken'));
    await expect(second).rejects.toThrow('broken');
    expect(begun).toEqual(['1', '2', '3']);
    await end('1');
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('takes turns between keys, however much of one waits', async () => {
    const { begun, add, end } = watched(1);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void add(name);
    for (let at = 0; at < 6; at += 1) await end(begun[at] ?? '');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('refuses a task when as many of its key wait as may, and takes those of other keys', async () => {
    const { begun, add } = watched(1, 1, { waiting: { total: 2, share: 1 } });
    void add('a1');
    void add('a2');
    await expect(add('a3')).rejects.toMatchObject({ by: 'workspace' });
    void add('b1');
    await expect(add('c1')).rejects.toMatchObject({ by: 'all' });
    expect(begun).toEqual(['a1']);
  });

  it('runs no more of a key than its share, and those of others meanwhile', async () => {
    const { begun, add, end } = watched(3, 2);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) void add(name);
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
    const { begun, add, end } = watched(10);
    const weights = { first: 6, second: 3, heavy: 50, behind: 1 };
    for (const [name, amount] of Object.entries(weights)) void add(name, { amount });
    expect(begun).toEqual(['first', 'second']);
    await end('second');
    expect(begun).toEqual(['first', 'second']);
    await end('first');
    expect(begun).toEqual(['first', 'second', 'heavy']);
    await end('heavy');
    expect(begun).toEqual(['first', 'second', 'heavy', 'behind']);
  });

  it('shares cost, not tasks: an owner of small ones has as much as one of large ones', async () => {
    const { begun, add, end } = watched(1);
    for (const name of ['a1', 'a2', 'a3']) void add(name, { cost: 3 });
    for (const name of ['b1', 'b2', 'b3', 'b4']) void add(name);
    for (let at = 0; at < 7; at += 1) await end(begun[at] ?? '');
    expect(begun).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'a3']);
  });

  it('begins the lowest first of one owner', async () => {
    const { begun, add, end } = watched(1);
    for (const [name, order] of Object.entries({ a1: 1, a3: 3, a2: 2, a0: 0 }))
      void add(name, { order });
    for (let at = 0; at < 4; at += 1) await end(begun[at] ?? '');
    expect(begun).toEqual(['a1', 'a0', 'a2', 'a3']);
  });

  it('gives up a wait that takes too long or is aborted, and begins what waited behind it', async () => {
    const { begun, add, end } = watched(2);
    void add('first');
    const late = add('late', { amount: 2, waitMaxMs: 5 });
    const stopping = new AbortController();
    const aborted = add('aborted', { amount: 2, signal: stopping.signal });
    void add('behind');
    await expect(late).rejects.toMatchObject({ name: 'LimitReached', by: 'time' });
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
    const { add, end } = watched(1);
    const stopping = new AbortController();
    const running = add('running', { waitMaxMs: 1, signal: stopping.signal });
    stopping.abort();
    await sleep(5);
    await end('running');
    expect(await running).toBe('running');
  });
});

describe('what a budget gives', () => {
  const names = (count: number, from: string) => Array.from({ length: count }, () => from);
  it.each([
    { total: 8, share: { timesFree: 1 }, takers: names(9, 'a'), gets: { a: 4 } },
    { total: 8, share: { timesFree: 3 }, takers: names(9, 'a'), gets: { a: 6 } },
    { total: 1, share: { timesFree: 1 }, takers: ['a', 'a', 'b'], gets: { a: 1 } },
    {
      total: 8,
      share: { timesFree: 1 },
      takers: [...names(9, 'a'), ...names(9, 'b'), ...names(9, 'c')],
      gets: { a: 4, b: 2, c: 1 },
    },
    { total: 4, share: 3, takers: [...names(9, 'a'), ...names(9, 'b')], gets: { a: 3, b: 1 } },
  ])('is the share of each owner: $gets of $total', ({ total, share, takers, gets }) => {
    const budget = budgetOf(total, share, {});
    const given = takers.filter((workspace) => {
      try {
        return budget.take({ workspace });
      } catch {
        return false;
      }
    });
    const by = Map.groupBy(given, (workspace) => workspace);
    expect(Object.fromEntries([...by].map(([one, { length }]) => [one, length]))).toEqual(gets);
  });

  it('comes back once, and counts for each kind of owner', () => {
    const limit = {
      bounds: 'answers',
      unit: 'bytes',
      total: 10,
      shares: { workspace: 8, caller: 5 },
      full: { problem: 'RATE_LIMITED', retryAfterSeconds: 3 },
    } as const;
    const { answers } = declareLimits('spec', { answers: limit });
    const budget = new Budget(answers);
    const [a1, a2] = ['1', '2'].map((caller) => ({ workspace: 'a', caller }));
    if (!a1 || !a2) throw new Error('two');
    const end = budget.take(a1, 5);
    const fault = { name: 'LimitReached', full: limit.full };
    expect(() => budget.take(a1)).toThrow(expect.objectContaining({ ...fault, by: 'caller' }));
    budget.take(a2, 3);
    expect(() => budget.require(a2)).toThrow(expect.objectContaining({ by: 'workspace' }));
    const others = { workspace: 'b', caller: '3' };
    expect(() => budget.take(others, 3)).toThrow(expect.objectContaining({ by: 'all' }));
    end();
    end();
    expect(answers.tally).toEqual({ used: 3, waiting: 0, refused: 3, shared: 0 });
    budget.take(others, 5);
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

/** Drives a budget through a history, and checks after each step what always holds. */
class History {
  private readonly budget = budgetOf(capacity, capacity, { waiting: { total: 6, share: 3 } });
  private readonly tasks: Task[] = [];

  async add(key: string, weight: number): Promise<void> {
    const waiting = this.in('waiting');
    const isFull = waiting.length >= 6 || waiting.filter((task) => task.key === key).length >= 3;
    const { promise, resolve } = Promise.withResolvers<void>();
    const abort = new AbortController();
    const task: Task = { key, weight, abort, end: resolve, state: 'waiting', overtakenBy: [] };
    this.tasks.push(task);
    const running = this.budget.runInTurn(
      { workspace: key },
      () => {
        this.begin(task);
        return promise;
      },
      { amount: weight, cost: 1, signal: abort.signal },
    );
    const over = running.then(
      () => 'ended',
      (error: unknown) => (error instanceof Error ? error.name : 'aborted'),
    );
    void over.then(() => (task.state = 'over'));
    await settled();
    const mustWait = this.in('waiting').includes(task) || task.state === 'over';
    if (isFull && mustWait) expect(await over).toBe('LimitReached');
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

describe('any history of a budget', () => {
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
