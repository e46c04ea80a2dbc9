/** The answer of a limiter for one request. */
export interface Taken {
  readonly allowed: boolean;
  /** Further requests that the window admits right now. */
  readonly remaining: number;
  /**
   * Whole seconds, rounded up, until the next place comes free: until the window has room again
   * when it is full, until its oldest request leaves it otherwise. At least 1, at most the window:
   * fit for `X-RateLimit-Reset`, and for `Retry-After` of a refusal (a request after that many
   * seconds is allowed, if nobody else takes the place).
   */
  readonly resetSeconds: number;
}

/** The times of one key's counted requests, oldest first, in a ring that grows by doubling. */
class Times {
  private ring = new Float64Array(8);
  private first = 0;
  count = 0;

  at(index: number): number {
    return this.ring[(this.first + index) & (this.ring.length - 1)] ?? Number.NaN;
  }

  get newest(): number {
    return this.at(this.count - 1);
  }

  add(time: number): void {
    if (this.count === this.ring.length) this.grow();
    this.ring[(this.first + this.count) & (this.ring.length - 1)] = time;
    this.count += 1;
  }

  /** Puts a time in its place, which mostly is the last one. */
  insert(time: number): void {
    this.add(time);
    for (let index = this.count - 1; index > 0 && this.at(index - 1) > time; index -= 1) {
      this.set(index, this.at(index - 1));
      this.set(index - 1, time);
    }
  }

  private set(index: number, time: number): void {
    this.ring[(this.first + index) & (this.ring.length - 1)] = time;
  }

  dropUntil(time: number): void {
    while (this.count > 0 && this.at(0) <= time) {
      this.first = (this.first + 1) & (this.ring.length - 1);
      this.count -= 1;
    }
  }

  private grow(): void {
    const wider = new Float64Array(this.ring.length * 2);
    for (let index = 0; index < this.count; index += 1) wider[index] = this.at(index);
    this.ring = wider;
    this.first = 0;
  }
}

/**
 * An exact sliding-window limiter: it keeps the time of each counted request, so that no stretch of
 * one window's length ever holds more than the limit (a fixed window allows twice that around its
 * edge). A refused request is not counted.
 *
 * A take is O(1) amortised. Memory is bounded: 8 bytes (up to 16 while growing) a counted request,
 * at most `limit` of them a key and what is added to it, at most `keysMax` keys; keys whose window has
 * emptied are dropped on the way. Past `keysMax` the key that was counted longest ago is forgotten and
 * starts anew.
 */
export class SlidingWindow {
  /** In order of when each key was last counted: the front is about the first to become idle. */
  private readonly timesByKey = new Map<string, Times>();

  constructor(private readonly keysMax = 100_000) {}

  /** The number of remembered keys. */
  get size(): number {
    return this.timesByKey.size;
  }

  /**
   * Counts one request, if the window has room for it.
   *
   * @param key whose window: put the limit's family into it, one key has one limit
   * @param limit requests a window, at least 1; may change from call to call
   * @param windowMs the window's length, the same for all keys of one limiter
   * @param nowMs the time on a clock that never goes back: `performance.now()`
   */
  take(key: string, limit: number, windowMs: number, nowMs: number): Taken {
    const gone = nowMs - windowMs;
    this.dropIdle(gone);
    const times = this.timesByKey.get(key) ?? new Times();
    times.dropUntil(gone);
    const allowed = times.count < limit;
    if (allowed) {
      times.add(nowMs);
      this.moveToBack(key, times);
    }
    return {
      allowed,
      remaining: Math.max(0, limit - times.count),
      resetSeconds: resetSeconds(times, limit, windowMs, nowMs),
    };
  }

  /**
   * Counts nothing: for requests that count by how they end, with {@link add}.
   *
   * @returns whole seconds until the window has room, 0 when it has
   */
  waitSeconds(key: string, limit: number, windowMs: number, nowMs: number): number {
    const gone = nowMs - windowMs;
    this.dropIdle(gone);
    const times = this.timesByKey.get(key);
    times?.dropUntil(gone);
    if (!times || times.count < limit) return 0;
    return resetSeconds(times, limit, windowMs, nowMs);
  }

  /**
   * Counts requests that somebody else has let through, also more than the limit.
   *
   * @param atMs when, on the clock of `take`; it may be past
   * @param sinceMs what was before is in no window any more
   */
  add(key: string, requests: number, atMs: number, sinceMs: number): void {
    const times = this.timesByKey.get(key) ?? new Times();
    times.dropUntil(sinceMs);
    for (let request = 0; request < requests; request += 1) times.insert(atMs);
    if (requests > 0) this.moveToBack(key, times);
  }

  private moveToBack(key: string, times: Times): void {
    this.timesByKey.delete(key);
    this.timesByKey.set(key, times);
    if (this.timesByKey.size > this.keysMax) this.forgetFront();
  }

  private dropIdle(gone: number): void {
    for (const times of this.timesByKey.values()) {
      if (times.newest > gone) return;
      this.forgetFront();
    }
  }

  private forgetFront(): void {
    const { value } = this.timesByKey.keys().next();
    if (value !== undefined) this.timesByKey.delete(value);
  }
}

/** Seconds until the next place of a window comes free. */
function resetSeconds(times: Times, limit: number, windowMs: number, nowMs: number): number {
  const nextToLeave = times.at(Math.max(0, times.count - limit));
  // In this order: the sum of the two is not exact, and a window of 60 s would say 61.
  return Math.ceil((windowMs - (nowMs - nextToLeave)) / 1000);
}
