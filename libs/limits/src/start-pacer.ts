/** Tasks that may start together in one turn of the event loop, while the turn is shorter than this. */
const atOnceMax = 4;
const shortMs = 2;

/**
 * Spreads the starts of tasks that arrive together over turns of the event loop, so that sockets are polled
 * between them: one waiting task starts in a turn, or a few short ones; keys are served round robin, and the
 * tasks of one key in their order of arrival. Only starts are bounded: a started task no longer counts, however
 * long it waits for others. The first task of a key in a turn starts at once if none of that key waits, and so
 * do a few more while the turn is short.
 */
export class StartPacer {
  /** Waiting tasks by key; the key that is served next comes first. Keys without a waiting task are absent. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** The tasks of each key that have started in this turn; empty before the first of them. */
  private readonly begun = new Map<string, number>();
  private sinceMs = 0;

  /** Resolves when a task of the key may start. */
  async turn(key: string): Promise<void> {
    const ofKey = this.waiting.get(key);
    if (ofKey) await new Promise<void>((begin) => ofKey.push(begin));
    else if (this.mayBegin(key)) this.count(key);
    else await new Promise<void>((begin) => this.waiting.set(key, [begin]));
  }

  private mayBegin(key: string): boolean {
    const count = this.begun.get(key) ?? 0;
    return count === 0 || (count < atOnceMax && this.isShort());
  }

  private isShort(): boolean {
    return performance.now() - this.sinceMs < shortMs;
  }

  private count(key: string): void {
    if (this.begun.size === 0) {
      this.sinceMs = performance.now();
      setImmediate(this.nextTurn);
      // Between two immediates Node runs the microtasks of the task that has just started.
      for (let i = 1; i < atOnceMax; i += 1) setImmediate(this.more);
    }
    this.begun.set(key, (this.begun.get(key) ?? 0) + 1);
  }

  private readonly nextTurn = (): void => {
    this.begun.clear();
    this.beginNext();
  };

  private readonly more = (): void => {
    if (this.isShort()) this.beginNext();
  };

  private beginNext(): void {
    const [next] = this.waiting;
    if (!next) return;
    const [key, [begin, ...others]] = next;
    // The key goes to the end of the round.
    this.waiting.delete(key);
    if (others.length > 0) this.waiting.set(key, others);
    this.count(key);
    begin?.();
  }
}
