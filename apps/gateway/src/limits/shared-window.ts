import { SlidingWindow, type Taken } from '@postroom/access';

/** How long what was counted may stay untold. */
const tellWithinMs = 500;
/** What was told longer ago is in no window any more. */
const forgottenMs = 120_000;

/** By caller and class of requests: how many requests a gateway has let through. */
type Counts = Readonly<Record<string, number>>;

/** What another gateway has told. */
export interface ToldCounts {
  readonly instance: string;
  /** Each instance counts what it tells, from 1. */
  readonly number: number;
  readonly agoMs: number;
  readonly counts: Counts;
}

/** What this gateway tells, and up to where it has heard each of the others. */
export interface Telling {
  readonly number: number;
  readonly counts: Counts;
  readonly heard: Readonly<Record<string, number>>;
}

/**
 * The requests of each key and member in the last minute, those that other gateways have let through among
 * them: gateways tell each other what they have counted when they renew their leases. What happened within that
 * second is not known yet, and what is told while the database is away is lost, so that over several gateways a
 * limit may be exceeded by as much.
 */
export class SharedWindow {
  private readonly window = new SlidingWindow();
  private readonly heardOf = new Map<string, { readonly number: number; readonly atMs: number }>();
  private untold = new Map<string, number>();
  private told = 0;
  private tell: () => void = () => undefined;

  /** @param tell is called half a second after something was counted that is not told */
  whenUntold(tell: () => void): void {
    this.tell = tell;
  }

  take(key: string, limit: number, windowMs: number): Taken {
    const taken = this.window.take(key, limit, windowMs, performance.now());
    if (taken.allowed) this.note(key);
    return taken;
  }

  /** What was counted since the last time. */
  telling(): Telling {
    const counts = Object.fromEntries(this.untold);
    this.untold = new Map();
    this.told += 1;
    const heard = [...this.heardOf].map(([instance, { number }]) => [instance, number] as const);
    return { number: this.told, counts, heard: Object.fromEntries(heard) };
  }

  /** Adds what the others have told since. */
  hear(others: readonly ToldCounts[]): void {
    const nowMs = performance.now();
    for (const { instance, number, agoMs, counts } of others) {
      const last = this.heardOf.get(instance)?.number ?? 0;
      this.heardOf.set(instance, { number: Math.max(last, number), atMs: nowMs });
      for (const [key, requests] of Object.entries(counts)) {
        this.window.add(key, requests, nowMs - agoMs, nowMs - forgottenMs);
      }
    }
    for (const [instance, { atMs }] of this.heardOf) {
      if (atMs < nowMs - forgottenMs) this.heardOf.delete(instance);
    }
  }

  private note(key: string): void {
    if (this.untold.size === 0) {
      setTimeout(() => {
        if (this.untold.size > 0) this.tell();
      }, tellWithinMs).unref();
    }
    this.untold.set(key, (this.untold.get(key) ?? 0) + 1);
  }
}
