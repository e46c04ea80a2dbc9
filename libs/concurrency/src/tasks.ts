/**
 * Settles as the work does, or as `late` does when the work takes longer than `ms`. Late work goes on,
 * and its outcome is ignored.
 */
export function withTimeout<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    // A promise, so that an error of `late` rejects.
    const expire = (): void => resolve(Promise.resolve().then(late));
    const timer = setTimeout(expire, Math.max(0, ms));
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Counts tasks in flight, for a bound on them and for a stop that waits until they have ended. It holds
 * a number and no promises: a Set of promises that fills and empties all the time keeps what they
 * refer to alive past V8's quick collections.
 */
export class InFlight {
  private count = 0;
  private waiting: (() => void)[] = [];

  get size(): number {
    return this.count;
  }

  /** Counts a task until it has settled, and settles as it does. */
  async track<T>(task: () => Promise<T>): Promise<T> {
    this.count += 1;
    try {
      return await task();
    } finally {
      this.count -= 1;
      if (this.count === 0) for (const resolve of this.waiting.splice(0)) resolve();
    }
  }

  /** Resolves when no task is in flight. */
  async none(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/**
 * Runs tasks of one key one after another, in the order given; tasks of different keys, and tasks
 * without a key, run concurrently. Only keys with work are remembered.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Settles as the task does; the next task of the key runs even if this one fails. */
  runInOrder<T>(key: string | null, task: () => Promise<T>): Promise<T> {
    if (key === null) return task();
    const before = this.last.get(key);
    const running = before ? before.then(task) : task();
    const over = running.then(noop, noop);
    this.last.set(key, over);
    void over.then(() => {
      if (this.last.get(key) === over) this.last.delete(key);
    });
    return running;
  }
}

const noop = (): void => undefined;
