import { Injectable } from '@nestjs/common';
import { Shares } from '@postroom/concurrency';

/** Readers that wait at once, in all and of one workspace: each takes a place of a request. */
const waitingMax = 48;
const waitingMaxPerTenant = 6;
/** Longest that a wake-up may be missed. */
const pollMs = 1_000;

/** Readers of the feed that wait for an event. */
@Injectable()
export class FeedWaits {
  private readonly wakes = new Set<() => void>();
  private readonly waiting = new Shares();

  /** Something was recorded. */
  wake(): void {
    for (const wake of [...this.wakes]) wake();
  }

  /**
   * Looks again and again until something is found or the time is up. Where too many wait already it looks
   * once: who asks again has lost nothing.
   */
  async until<T>(
    tenantId: string,
    endMs: number,
    look: () => Promise<T>,
    isFound: (found: T) => boolean,
  ): Promise<T> {
    let found = await look();
    const { waiting } = this;
    if (waiting.all >= waitingMax || waiting.of(tenantId) >= waitingMaxPerTenant) return found;
    const leave = waiting.take([tenantId]);
    try {
      while (!isFound(found) && Date.now() < endMs) {
        await this.next(Math.min(pollMs, endMs - Date.now()));
        found = await look();
      }
      return found;
    } finally {
      leave();
    }
  }

  private next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wakes.add(wake);
    });
  }
}
