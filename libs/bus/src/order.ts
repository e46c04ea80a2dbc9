/**
 * Runs tasks of one key one after the other, in the order given; tasks of other keys, and those of
 * none, run beside them. Only keys with work are remembered, with nothing of the work: what a Map that
 * fills and empties all the time has held stays alive past V8's quick collections (see `InFlight`).
 */
export class Order {
  /** Of each key with a task under way, who waits for it. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Settles as the task does; a task that fails holds up nobody. */
  async run<T>(key: string | null, task: () => Promise<T>): Promise<T> {
    if (key === null) return task();
    const behind = this.waiting.get(key);
    if (behind) await new Promise<void>((go) => behind.push(go));
    else this.waiting.set(key, []);
    try {
      return await task();
    } finally {
      // The key is handed on: a newcomer waits behind who is next.
      const next = this.waiting.get(key)?.shift();
      if (next) next();
      else this.waiting.delete(key);
    }
  }
}

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
