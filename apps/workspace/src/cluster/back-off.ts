const firstMs = 500;
const mostMs = 30_000;
/** One that lived this long was well: its next death is a first one. */
const wellAfterMs = 60_000;

/** How long to wait before what has died is started again: half a second, doubling to half a minute. */
export class BackOff {
  private delayMs = firstMs;

  /** @param livedMs how long it had been running */
  afterLife(livedMs: number): number {
    const delayMs = livedMs >= wellAfterMs ? firstMs : this.delayMs;
    this.delayMs = Math.min(delayMs * 2, mostMs);
    return delayMs;
  }
}
