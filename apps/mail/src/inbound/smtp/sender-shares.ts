import { setTimeout as wait } from 'node:timers/promises';

/** The cost of an ordinary message is not counted, so that such mail is never delayed. */
const freeMs = 10;
/** A client waits five minutes for the answer to MAIL (RFC 5321 §4.5.3.2.2). */
const longestWaitMs = 750;
const addressesBeforeSweep = 1_000;

/**
 * Delays the next message of a client whose messages are expensive, so that the work for it stays within
 * a share of a core, as far as delays of 750 ms achieve that: one message may take seconds, and all
 * senders may be behind one relay. A message that was transferred is stored without delay.
 */
export class SenderShares {
  private readonly share: number;
  /** Maps a client address to the time at which its share covers the cost of its messages. */
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

  /** The delay of the client's next message, milliseconds. */
  waitOf(address: string): number {
    return Math.max(0, (this.paidAtMs.get(address) ?? 0) - this.nowMs());
  }

  /** The number of client addresses that it has in memory. */
  get remembered(): number {
    return this.paidAtMs.size;
  }

  /** Resolves when the client may go on. */
  async delay(address: string): Promise<void> {
    const waitMs = this.waitOf(address);
    if (waitMs > 0) await wait(waitMs, undefined, { ref: false });
  }

  private sweep(now: number): void {
    for (const [address, paidAtMs] of this.paidAtMs) {
      if (paidAtMs <= now) this.paidAtMs.delete(address);
    }
  }
}
