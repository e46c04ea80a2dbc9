/**
 * Runs tasks of one key one after the other, in the order given; tasks of other keys, and those of
 * none, run beside them. Only keys with work are remembered.
 */
export class Order {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Settles as the task does; a task that fails holds up nobody. */
  run<T>(key: string | null, task: () => Promise<T>): Promise<T> {
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

/** A bound on how many tasks run at a time; the rest wait their turn, in the order they came. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.taken < this.max) this.taken += 1;
    else await new Promise<void>((go) => this.waiting.push(go));
    try {
      return await task();
    } finally {
      // The place is handed on, never given back in between: a newcomer cannot overtake.
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    }
  }
}
