import { Shares } from './in-use.js';

export interface FairQueueOptions {
  /** Units of work that run at once; a task takes one unit unless its turn says otherwise. */
  readonly capacity: number;
  /** Units of one key that run at once (all of the capacity). */
  readonly capacityPerKey?: number;
  /** Tasks of one key that may wait. */
  readonly waitingMaxPerKey?: number;
  /** Tasks of all keys together that may wait. */
  readonly waitingMax?: number;
}

export interface Turn {
  /** The key that shares the capacity, usually a workspace; tasks without a key share one. */
  readonly key?: string;
  /** Units that the task takes. More than its key may have counts as all of that. */
  readonly weight?: number;
  /** The longest wait for the turn. */
  readonly waitMaxMs?: number;
  /** Ends the wait; a task that has started is not affected. */
  readonly signal?: AbortSignal | undefined;
}

/** A task that was not started, because too many wait or because it waited too long. */
export class QueueRefused extends Error {
  override readonly name = 'QueueRefused';

  constructor(readonly reason: 'full' | 'full for this key' | 'timeout') {
    super(`the queue did not run a task: ${reason}`);
  }
}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * Bounds how much work runs at once and how much waits for it. Keys take turns (round robin), so that
 * one workspace's backlog delays another one by a task at most; tasks of one key start in their order of
 * arrival. A heavy task whose turn has come is never overtaken by a lighter one that would fit. A key that
 * uses its whole share is skipped.
 */
export class FairQueue {
  private readonly running = new Shares();
  private waitingCount = 0;
  /** Waiting tasks by key; the key that is served next comes first. Keys without a waiting task are absent. */
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly ofKeyMax: number;

  constructor(private readonly options: FairQueueOptions) {
    const { capacity, capacityPerKey = capacity } = options;
    this.ofKeyMax = capacityPerKey;
  }

  /** Tasks that wait. */
  get waitingSize(): number {
    return this.waitingCount;
  }

  /**
   * Runs a task when its turn comes, and settles as the task does.
   * @throws QueueRefused when the task may not wait, or has waited too long
   * @throws the reason of `signal`, when it aborts the wait
   */
  async run<T>(task: () => Promise<T>, turn: Turn = {}): Promise<T> {
    turn.signal?.throwIfAborted();
    const { key = '' } = turn;
    const weight = Math.min(turn.weight ?? 1, this.ofKeyMax);
    const end = this.mayBegin(key, weight)
      ? this.running.take([key], weight)
      : await this.wait(weight, turn);
    try {
      return await task();
    } finally {
      end();
      // Keys that arrived while it ran are served before further tasks of its own key.
      if (this.running.of(key) === 0) this.toEndOfRound(key);
      this.beginNext();
    }
  }

  /** True if a new task fits and no waiting task has to start before it. */
  private mayBegin(key: string, weight: number): boolean {
    if (this.waiting.has(key) || !this.hasShare(key, weight) || !this.fits(weight)) return false;
    for (const [other, [next]] of this.waiting)
      if (next && this.hasShare(other, next.weight)) return false;
    return true;
  }

  private fits(weight: number): boolean {
    return this.running.all + weight <= this.options.capacity;
  }

  private hasShare(key: string, weight: number): boolean {
    return this.running.of(key) + weight <= this.ofKeyMax;
  }

  /** @returns a function that gives the task's capacity back */
  private wait(weight: number, { key = '', waitMaxMs, signal }: Turn): Promise<() => void> {
    const { waitingMax = Infinity, waitingMaxPerKey = Infinity } = this.options;
    if (this.waitingCount >= waitingMax) throw new QueueRefused('full');
    const ofKey = this.waiting.get(key) ?? [];
    if (ofKey.length >= waitingMaxPerKey) throw new QueueRefused('full for this key');
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const leave = (reason: Error): void => {
        stopWaiting();
        this.remove(key, waiting);
        reject(reason);
        // The tasks behind it may fit.
        this.beginNext();
      };
      const abort = (): void => leave(signal?.reason as Error);
      const timer =
        waitMaxMs === undefined
          ? undefined
          : setTimeout(() => leave(new QueueRefused('timeout')), Math.max(0, waitMaxMs));
      signal?.addEventListener('abort', abort, { once: true });
      const waiting: Waiting = {
        weight,
        begin: () => {
          stopWaiting();
          resolve(this.running.take([key], weight));
        },
      };
      this.waiting.set(key, ofKey);
      ofKey.push(waiting);
      this.waitingCount += 1;
    });
  }

  /** Starts tasks in turn as long as the next one fits. */
  private beginNext(): void {
    for (const [key, ofKey] of this.waiting) {
      const [next] = ofKey;
      if (!next) return;
      if (!this.hasShare(key, next.weight)) continue;
      if (!this.fits(next.weight)) return;
      this.remove(key, next);
      this.toEndOfRound(key);
      next.begin();
    }
  }

  private toEndOfRound(key: string): void {
    const ofKey = this.waiting.get(key);
    if (ofKey && this.waiting.delete(key)) this.waiting.set(key, ofKey);
  }

  private remove(key: string, waiting: Waiting): void {
    const ofKey = this.waiting.get(key);
    const at = ofKey?.indexOf(waiting) ?? -1;
    if (!ofKey || at < 0) return;
    ofKey.splice(at, 1);
    this.waitingCount -= 1;
    if (ofKey.length === 0) this.waiting.delete(key);
  }
}
