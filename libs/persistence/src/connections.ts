import type { Pool, PoolClient } from 'pg';
import type { TripClient } from './trip-client.js';

/** A connection in use; released, it goes to the next who waits for one. */
export type InUse = TripClient & Pick<PoolClient, 'release'>;

interface Waiting {
  readonly untilMs: number;
  readonly resolve: (client: InUse) => void;
  readonly reject: (error: unknown) => void;
}

/** Longest wait for a connection. */
const waitMaxMs = 5_000;

/**
 * Passes the connections of a pool on from one use to the next. The pool itself arms a timer for each
 * use and another for each rest between two, and what hung on those outlived V8's quick collections:
 * some 5 % of what a comment costs. While somebody waits there is no rest, and here one timer for all.
 */
export class Connections {
  private inUse = 0;
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: Pool,
    /** As many as the pool has. */
    private readonly max: number,
  ) {}

  /** @throws what the pool throws, which makes a connection; an Error after 5 s without one */
  async connect(): Promise<InUse> {
    if (this.inUse >= this.max) return this.wait();
    this.inUse += 1;
    try {
      const client = (await this.pool.connect()) as PoolClient & TripClient;
      const giveBack = client.release.bind(client);
      client.release = (failure) => {
        const next = failure ? undefined : this.waiting.shift();
        if (next) next.resolve(client);
        else this.leave(() => giveBack(failure));
      };
      return client;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** One connection fewer is in use; who waits asks the pool for another. */
  private leave(giveBack?: () => void): void {
    this.inUse -= 1;
    giveBack?.();
    const next = this.waiting.shift();
    if (next) this.connect().then(next.resolve, next.reject);
  }

  private wait(): Promise<InUse> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ untilMs: performance.now() + waitMaxMs, resolve, reject });
      this.watch();
    });
  }

  /** They wait equally long, so that the oldest gives up first. */
  private watch(): void {
    const [oldest] = this.waiting;
    if (!oldest || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      while ((this.waiting[0]?.untilMs ?? Infinity) <= performance.now()) {
        this.waiting.shift()?.reject(new Error('timeout exceeded when trying to connect'));
      }
      this.watch();
    }, oldest.untilMs - performance.now());
  }
}
