import { Injectable } from '@nestjs/common';

/** Readers that wait at once, in all and of one workspace: each takes a place of a request. */
const waitingMax = 48;
const waitingMaxPerTenant = 6;
/** Longest that a wake-up may be missed. */
const pollMs = 1_000;

/** Readers of the feed that wait for an event. */
@Injectable()
export class FeedWaits {
  private readonly wakes = new Set<() => void>();
  private readonly byTenant = new Map<string, number>();

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
    const waiting = this.byTenant.get(tenantId) ?? 0;
    if (this.wakes.size >= waitingMax || waiting >= waitingMaxPerTenant) return found;
    this.byTenant.set(tenantId, waiting + 1);
    try {
      while (!isFound(found) && Date.now() < endMs) {
        await this.next(Math.min(pollMs, endMs - Date.now()));
        found = await look();
      }
      return found;
    } finally {
      const left = (this.byTenant.get(tenantId) ?? 1) - 1;
      if (left > 0) this.byTenant.set(tenantId, left);
      else this.byTenant.delete(tenantId);
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
