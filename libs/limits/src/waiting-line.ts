import type { OwnerKind } from './declaration.js';

/** The owners of what is taken: one of each kind that has a share. */
export type Owners<K extends OwnerKind> = Readonly<Record<K, string>>;

/** A task that waits for its turn. */
export interface Waiting<K extends OwnerKind> {
  readonly owners: Owners<K>;
  readonly amount: number;
  readonly cost: number;
  readonly order: number;
  readonly begin: () => void;
}

/** Tasks that wait, each in the queue of its owner. */
export class WaitingLine<K extends OwnerKind> {
  count = 0;
  /** In the order that owners came; owners without a task are absent. */
  readonly #queues = new Map<string, Waiting<K>[]>();

  lengthOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  /** The lowest of one owner's tasks goes first, and those that came first of the same. */
  enqueue(owner: string, task: Waiting<K>): void {
    const queue = this.#queues.get(owner) ?? [];
    queue.splice(queue.findLastIndex(({ order }) => order <= task.order) + 1, 0, task);
    this.#queues.set(owner, queue);
    this.count += 1;
  }

  /** The first task of the owner whose turn comes first, of those whose first task may begin. */
  next(
    turnOf: (owner: string) => number,
    mayBegin: (task: Waiting<K>) => boolean,
  ): Waiting<K> | undefined {
    let next: Waiting<K> | undefined;
    let turn = Infinity;
    for (const [owner, [first]] of this.#queues) {
      if (!first || turnOf(owner) >= turn || !mayBegin(first)) continue;
      turn = turnOf(owner);
      next = first;
    }
    return next;
  }

  /** @returns whether the task was waiting */
  remove(owner: string, task: Waiting<K>): boolean {
    const queue = this.#queues.get(owner);
    const at = queue?.indexOf(task) ?? -1;
    if (!queue || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.count -= 1;
    return true;
  }
}
