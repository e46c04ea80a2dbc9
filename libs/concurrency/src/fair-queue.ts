import { Shares } from './shares.js';

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
  /** Whose turn it is, usually a workspace; tasks without a key share one. */
  readonly key?: string;
  /** Units that the task takes. More than its key may have counts as all of that. */
  readonly weight?: number;
  /** How long the task may wait for its turn. */
  readonly waitMaxMs?: number;
  /** Ends the wait; a task that has begun is not affected. */
  readonly signal?: AbortSignal | undefined;
}

/** A task that did not begin, because too many wait or because it waited too long. */
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
 * one workspace's backlog delays another one by a task at most; tasks of one key begin in the order
 * they came. The task whose turn it is is never overtaken by a lighter one that would fit. A key that has all
 * that it may have is passed over.
 */
export class FairQueue {
  private readonly running = new Shares();
  private waitingCount = 0;
  /** Tasks by key; the key whose turn is next comes first. Keys without a waiting task are absent. */
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
      // Who came while it ran has the next turn, whatever else its key has waiting.
      if (this.running.of(key) === 0) this.toEndOfRound(key);
      this.beginNext();
    }
  }

  /** Whether nobody has to begin before a task that comes now. */
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

  /** @returns what ends the task's use of the capacity */
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
        // What waited behind it may fit.
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

  /** Begins tasks as long as the one whose turn it is fits. */
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
