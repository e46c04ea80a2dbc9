const firstMs = 500;
const mostMs = 30_000;
/** A process that ran this long was healthy: its next death counts as the first. */
const wellAfterMs = 60_000;

/** The delay before a dead process is restarted: half a second, doubling to half a minute. */
export class BackOff {
  private delayMs = firstMs;

  /** @param livedMs how long it had been running */
  afterLife(livedMs: number): number {
    const delayMs = livedMs >= wellAfterMs ? firstMs : this.delayMs;
    this.delayMs = Math.min(delayMs * 2, mostMs);
    return delayMs;
  }
}
