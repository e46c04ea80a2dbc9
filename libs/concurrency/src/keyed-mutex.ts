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
