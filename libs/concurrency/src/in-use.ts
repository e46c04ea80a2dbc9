/** Counts how much of something is in use: in all, and by each key that shares it. */
export class Shares {
  private readonly byKey = new Map<string, number>();
  private inUse = 0;

  get all(): number {
    return this.inUse;
  }

  of(key: string): number {
    return this.byKey.get(key) ?? 0;
  }

  /** Counts an amount for each key, and once in all. @returns a function that gives it back */
  take(keys: readonly string[], amount = 1): () => void {
    this.count(keys, amount);
    let isOver = false;
    return () => {
      if (!isOver) this.count(keys, -amount);
      isOver = true;
    };
  }

  private count(keys: readonly string[], amount: number): void {
    this.inUse += amount;
    for (const key of keys) {
      const left = this.of(key) + amount;
      if (left === 0) this.byKey.delete(key);
      else this.byKey.set(key, left);
    }
  }
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
