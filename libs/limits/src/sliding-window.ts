import type { DeclaredRate } from './declaration.js';

/** The answer of a limiter for one request. */
export interface Taken {
  readonly allowed: boolean;
  /** Further requests that the window admits right now. */
  readonly remaining: number;
  /**
   * Whole seconds, rounded up, until the next place comes free: until the window has room again
   * when it is full, until its oldest request leaves it otherwise. At least 1, at most the window:
   * fit for `X-RateLimit-Reset`, and for `Retry-After` of a refusal (a request after that many
   * seconds is allowed, if no other request takes the place).
   */
  readonly resetSeconds: number;
}

/** The window of every rate: they are declared by the minute. */
export const windowMs = 60_000;

/**
 * Enforces a declared rate, an exact sliding window: it keeps the time of each counted request, so that no stretch of
 * one window's length ever holds more than the limit (a fixed window allows twice that around its
 * edge). A refused request is not counted.
 *
 * Memory is bounded: a number for each counted request, at most `limit` of them a key and what is added to it, at
 * most `keysMax` keys; keys whose window has emptied are dropped on the way. Past `keysMax` the key that was counted
 * longest ago is forgotten and starts anew.
 */
export class SlidingWindow {
  /**
   * The times of each key's counted requests, oldest first. Keys are in order of when they were last counted: the
   * front is about the first to become idle.
   */
  private readonly timesByKey = new Map<string, number[]>();

  /** @param limit where a setting says another than the declaration, at least 1 */
  constructor(
    rate: DeclaredRate,
    private readonly limit = rate.perMinute,
    private readonly keysMax = 100_000,
  ) {}

  /** The number of remembered keys. */
  get size(): number {
    return this.timesByKey.size;
  }

  /**
   * Counts one request, if the window has room for it.
   *
   * @param nowMs the time on a clock that never goes back
   */
  take(key: string, nowMs = performance.now()): Taken {
    const { limit } = this;
    const gone = nowMs - windowMs;
    this.dropIdle(gone);
    const times = this.timesByKey.get(key) ?? [];
    dropUntil(times, gone);
    const allowed = times.length < limit;
    if (allowed) {
      times.push(nowMs);
      this.moveToBack(key, times);
    }
    return {
      allowed,
      remaining: Math.max(0, limit - times.length),
      resetSeconds: this.resetSeconds(times, nowMs),
    };
  }

  /**
   * Counts nothing: for requests that count by how they end, with {@link add}.
   *
   * @returns whole seconds until the window has room, 0 when it has
   */
  waitSeconds(key: string, nowMs = performance.now()): number {
    const gone = nowMs - windowMs;
    this.dropIdle(gone);
    const times = this.timesByKey.get(key);
    if (!times) return 0;
    dropUntil(times, gone);
    return times.length < this.limit ? 0 : this.resetSeconds(times, nowMs);
  }

  /**
   * Counts requests that `take` has not counted, also more than the limit.
   *
   * @param atMs when, on the clock of `take`; it may be past
   */
  record(key: string, requests: number, atMs = performance.now(), nowMs = atMs): void {
    if (requests === 0) return;
    const times = this.timesByKey.get(key) ?? [];
    dropUntil(times, nowMs - windowMs);
    const later = times.splice(times.findLastIndex((time) => time <= atMs) + 1);
    for (let request = 0; request < requests; request += 1) times.push(atMs);
    for (const time of later) times.push(time);
    this.moveToBack(key, times);
  }

  /** Seconds until the next place comes free. */
  private resetSeconds(times: readonly number[], nowMs: number): number {
    const nextToLeave = times[Math.max(0, times.length - this.limit)] ?? Number.NaN;
    // In this order: the sum of the two is not exact, and a window of 60 s would say 61.
    return Math.ceil((windowMs - (nowMs - nextToLeave)) / 1000);
  }

  private moveToBack(key: string, times: number[]): void {
    this.timesByKey.delete(key);
    this.timesByKey.set(key, times);
    if (this.timesByKey.size > this.keysMax) this.forgetFront();
  }

  private dropIdle(gone: number): void {
    for (const times of this.timesByKey.values()) {
      if ((times.at(-1) ?? -Infinity) > gone) return;
      this.forgetFront();
    }
  }

  private forgetFront(): void {
    const { value } = this.timesByKey.keys().next();
    if (value !== undefined) this.timesByKey.delete(value);
  }
}

function dropUntil(times: number[], time: number): void {
  const kept = times.findIndex((one) => one > time);
  times.splice(0, kept < 0 ? times.length : kept);
}
