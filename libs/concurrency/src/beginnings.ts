/** How many tasks may begin at once in a turn of the event loop, while it is no longer than this. */
const atOnceMax = 4;
const shortMs = 2;

/**
 * Spreads tasks that come at once over turns of the event loop, so that sockets are polled between them: of those
 * that wait one begins in a turn, or a few that take little, keys in turn (round robin), those of one key in the
 * order they came. Nothing is held: a task that has begun is not counted any more, however long it waits for
 * somebody else. The first task of a key in a turn begins at once while none of that key waits, and so do a few
 * more while the turn is short.
 */
export class Beginnings {
  /** By key; the key whose turn is next comes first. Keys without a waiting task are absent. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** How many tasks of each key have begun in this turn; empty before the first of them. */
  private readonly begun = new Map<string, number>();
  private sinceMs = 0;

  /** Resolves when a task of the key may begin. */
  async mine(key: string): Promise<void> {
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
      // Node has done what one has begun, as far as it goes without waiting, before it runs the next.
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
    // To the end of the round.
    this.waiting.delete(key);
    if (others.length > 0) this.waiting.set(key, others);
    this.count(key);
    begin?.();
  }
}
