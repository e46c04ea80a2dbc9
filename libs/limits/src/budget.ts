import { LimitReached, type Declared, type OwnerKind, type Share } from './declaration.js';
import { WaitingLine, type Owners, type Waiting } from './waiting-line.js';

export type { Owners } from './waiting-line.js';

/** The wait of a task, and what it takes. */
export interface Turn {
  /** The amount that it takes; more than its owner may ever have counts as all of that. */
  readonly amount?: number;
  /** Its cost, where that is not the amount: owners that wait get the same cost. */
  readonly cost?: number;
  /** The lowest of one owner's tasks goes first, and those that came first of the same. */
  readonly order?: number;
  /** The longest wait for the turn. */
  readonly waitMaxMs?: number;
  /** Ends the wait; a task that has started is not affected. */
  readonly signal?: AbortSignal | undefined;
}

/** The uses of one kind of owner. */
interface Kind<K> {
  readonly kind: K;
  readonly share: Share;
  readonly used: Map<string, number>;
}

const within = (share: Share, used: number, amount: number, free: number): boolean =>
  typeof share === 'number'
    ? used + amount <= share
    : // One that has nothing gets what is free, also all of it.
      used === 0 || used + amount <= share.timesFree * free;

/** Owners whose turns are remembered before those that have had none lately are forgotten. */
const rememberedMin = 1_024;

/**
 * Enforces a declared limit: no owner takes more than its share, and what waits takes turns between owners at equal
 * cost (start-time fair queueing), so that one owner's backlog delays another by a task at most. A heavy task whose
 * turn has come is never overtaken by a lighter one that would fit. An owner that uses its whole share is skipped.
 */
export class Budget<K extends OwnerKind> {
  readonly #limit: Declared<K>;
  readonly #total: number;
  readonly #kinds: readonly Kind<K>[];
  readonly #queueBy: K;
  #used = 0;
  readonly #line = new WaitingLine<K>();
  /** The cost that all owners which always had something to do have had. */
  #clock = 0;
  /** The cost of each owner on that clock; those behind it may be absent. */
  readonly #had = new Map<string, number>();
  #rememberedMax = rememberedMin;
  /** The owner that was refused last, until another one gets something. */
  #refused: string | undefined;

  /** @param total where a setting says another than the declaration */
  constructor(limit: Declared<K>, total = limit.total) {
    this.#limit = limit;
    this.#total = total;
    const shares = Object.entries(limit.shares) as [K, Share][];
    this.#kinds = shares.map(([kind, share]) => ({ kind, share, used: new Map() }));
    const [first] = this.#kinds;
    if (!first) throw new Error(`${limit.name}: a limit has an owner`);
    this.#queueBy = first.kind;
  }

  get used(): number {
    return this.#used;
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#line.count;
  }

  /**
   * Takes something at once.
   * @returns what gives it back; a repeat does nothing
   * @throws LimitReached
   */
  take(owners: Owners<K>, amount = 1): () => void {
    this.require(owners, amount);
    return this.#hold(owners, amount);
  }

  /** @throws LimitReached if so much could not be taken now */
  require(owners: Owners<K>, amount = 1): void {
    const by = this.#reached(owners, amount);
    if (!by) return;
    this.#refused = owners[this.#queueBy];
    throw new LimitReached(this.#limit, by);
  }

  /**
   * Runs a task when its turn comes, and settles as the task does.
   * @throws LimitReached when the task may not wait, or has waited too long
   * @throws the reason of `signal`, when it aborts the wait
   */
  async runInTurn<T>(owners: Owners<K>, task: () => Promise<T>, turn: Turn = {}): Promise<T> {
    turn.signal?.throwIfAborted();
    const amount = this.#mostOf(turn.amount ?? 1);
    if (!this.#limit.waiting) this.require(owners, amount);
    const { cost = amount } = turn;
    const end = this.#mayBegin(owners, amount)
      ? this.#startTurn(owners, amount, cost)
      : await this.#wait({ owners, amount, cost }, turn);
    try {
      return await task();
    } finally {
      end();
    }
  }

  #mostOf(amount: number): number {
    const shares = this.#kinds.map(({ share }) => (typeof share === 'number' ? share : Infinity));
    return Math.min(amount, this.#total, ...shares);
  }

  /** The kind of owner that has its share already, `all` when there is too little for any owner. */
  #reached(owners: Owners<K>, amount: number): K | 'all' | undefined {
    const free = this.#total - this.#used;
    for (const { kind, share, used } of this.#kinds) {
      if (!within(share, used.get(owners[kind]) ?? 0, amount, free)) return kind;
    }
    return amount > free ? 'all' : undefined;
  }

  #hold(owners: Owners<K>, amount: number): () => void {
    this.#count(owners, amount);
    if (this.#isShared(owners[this.#queueBy])) this.#limit.tally.shared += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count(owners, -amount);
      this.#beginNext();
    };
  }

  /** True where another owner waits, or was refused just before. */
  #isShared(owner: string): boolean {
    if (this.#line.count > this.#line.lengthOf(owner)) return true;
    if (this.#refused === undefined || this.#refused === owner) return false;
    this.#refused = undefined;
    return true;
  }

  #count(owners: Owners<K>, amount: number): void {
    this.#used += amount;
    this.#limit.tally.used += amount;
    for (const { kind, used } of this.#kinds) {
      const left = (used.get(owners[kind]) ?? 0) + amount;
      if (left === 0) used.delete(owners[kind]);
      else used.set(owners[kind], left);
    }
  }

  /** True if a new task fits and no waiting task has to start before it. */
  #mayBegin(owners: Owners<K>, amount: number): boolean {
    if (this.#reached(owners, amount)) return false;
    if (this.#line.count === 0) return true;
    return this.#line.lengthOf(owners[this.#queueBy]) === 0 && this.#next() === undefined;
  }

  #startTurn(owners: Owners<K>, amount: number, cost: number): () => void {
    const owner = owners[this.#queueBy];
    this.#clock = this.#turnOf(owner);
    this.#had.set(owner, this.#clock + cost);
    if (this.#had.size > this.#rememberedMax) this.#forget();
    return this.#hold(owners, amount);
  }

  #turnOf(owner: string): number {
    return Math.max(this.#clock, this.#had.get(owner) ?? 0);
  }

  #forget(): void {
    for (const [owner, had] of this.#had) if (had <= this.#clock) this.#had.delete(owner);
    this.#rememberedMax = Math.max(rememberedMin, 2 * this.#had.size);
  }

  #requireRoomToWait(queued: number): void {
    const { total = Infinity, share = Infinity } = this.#limit.waiting ?? {};
    const free = total - this.#line.count;
    const isOwn = !within(share, queued, 1, free);
    if (free < 1 || isOwn) throw new LimitReached(this.#limit, isOwn ? this.#queueBy : 'all');
  }

  /** @returns a function that gives back what the task takes */
  #wait(
    task: Pick<Waiting<K>, 'owners' | 'amount' | 'cost'>,
    { order = 0, waitMaxMs, signal }: Turn,
  ): Promise<() => void> {
    const owner = task.owners[this.#queueBy];
    this.#requireRoomToWait(this.#line.lengthOf(owner));
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const leave = (reason: Error): void => {
        stopWaiting();
        this.#remove(owner, waiting);
        reject(reason);
        // The tasks behind it may fit.
        this.#beginNext();
      };
      const abort = (): void => leave(signal?.reason as Error);
      const tooLong = (): void => leave(new LimitReached(this.#limit, 'time'));
      const timer =
        waitMaxMs === undefined ? undefined : setTimeout(tooLong, Math.max(0, waitMaxMs));
      signal?.addEventListener('abort', abort, { once: true });
      const waiting: Waiting<K> = {
        ...task,
        order,
        begin: () => {
          stopWaiting();
          resolve(this.#startTurn(task.owners, task.amount, task.cost));
        },
      };
      this.#line.enqueue(owner, waiting);
      this.#limit.tally.waiting += 1;
    });
  }

  /** The task whose turn it is, if it fits. */
  #next(): Waiting<K> | undefined {
    const mayBegin = ({ owners, amount }: Waiting<K>): boolean => {
      const reached = this.#reached(owners, amount);
      return reached === undefined || reached === 'all';
    };
    return this.#line.next((owner) => this.#turnOf(owner), mayBegin);
  }

  /** Starts tasks in turn as long as the next one fits. */
  #beginNext(): void {
    while (this.#line.count > 0) {
      const next = this.#next();
      if (!next || this.#reached(next.owners, next.amount)) return;
      this.#remove(next.owners[this.#queueBy], next);
      next.begin();
    }
    if (this.#used > 0) return;
    this.#had.clear();
    this.#clock = 0;
  }

  #remove(owner: string, waiting: Waiting<K>): void {
    if (this.#line.remove(owner, waiting)) this.#limit.tally.waiting -= 1;
  }
}
