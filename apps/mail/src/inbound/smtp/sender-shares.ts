import { setTimeout as wait } from 'node:timers/promises';

/** What an ordinary message may cost is not counted, so that such mail is never held up. */
const freeMs = 10;
/** Far within the five minutes that a client waits for the answer to MAIL (RFC 5321 §4.5.3.2.2). */
const longestWaitMs = 750;
const addressesBeforeSweep = 1_000;

/**
 * Has a client whose messages are expensive wait before its next one, so that the work for it stays
 * within a share of a core, as far as waits of 750 ms bring that about: one message may take seconds,
 * and behind one relay are all senders. What it has handed over is kept at once.
 */
export class SenderShares {
  private readonly share: number;
  /** By address of a client, when its share will have paid for what came from it. */
  private readonly paidAtMs = new Map<string, number>();

  /** @param percent of a core; 100 for no bound */
  constructor(
    private readonly percent: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.share = percent / 100;
  }

  /** Counts a message that took so much CPU. */
  charge(address: string, costMs: number): void {
    const countedMs = costMs - freeMs;
    if (this.percent === 100 || countedMs <= 0) return;
    const now = this.nowMs();
    if (this.paidAtMs.size >= addressesBeforeSweep) this.sweep(now);
    const since = Math.max(now, this.paidAtMs.get(address) ?? 0);
    this.paidAtMs.set(address, Math.min(since + countedMs / this.share, now + longestWaitMs));
  }

  /** How long the client has to wait before its next message, milliseconds. */
  waitOf(address: string): number {
    return Math.max(0, (this.paidAtMs.get(address) ?? 0) - this.nowMs());
  }

  /** Addresses that it knows of. */
  get remembered(): number {
    return this.paidAtMs.size;
  }

  /** Resolves when the client may go on. */
  async turnOf(address: string): Promise<void> {
    const waitMs = this.waitOf(address);
    if (waitMs > 0) await wait(waitMs, undefined, { ref: false });
  }

  private sweep(now: number): void {
    for (const [address, paidAtMs] of this.paidAtMs) {
      if (paidAtMs <= now) this.paidAtMs.delete(address);
    }
  }
}
