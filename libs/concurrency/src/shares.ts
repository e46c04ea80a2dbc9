/** How much of something is in use: in all, and by each of those that share it. */
export class Shares {
  private readonly byKey = new Map<string, number>();
  private inUse = 0;

  get all(): number {
    return this.inUse;
  }

  of(key: string): number {
    return this.byKey.get(key) ?? 0;
  }

  /** Counts an amount for each of the keys, and once in all, until what it returns is called. */
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
