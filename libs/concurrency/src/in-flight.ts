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
