interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes items in groups: items that arrive while a group is being written form the next one, so that many
 * small commits become as few as the database has time for. Items are written in their order of arrival.
 */
export class GroupCommit<T> {
  private waiting: Waiting<T>[] = [];
  private isWriting = false;

  /** @param groupMax items of a group */
  constructor(
    private readonly write: (items: readonly T[]) => Promise<unknown>,
    private readonly groupMax = 100,
  ) {}

  /** Resolves once the item is written. @throws what `write` throws for it alone */
  commit(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) await this.writeGroup(this.waiting.splice(0, this.groupMax));
    this.isWriting = false;
  }

  /** After a failure each item is written alone, so that a bad item fails no other. */
  private async writeGroup(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length > 1) for (const one of group) await this.writeGroup([one]);
      else group[0]?.reject(error);
    }
  }
}
