/** Longer than kafkajs retries before it restarts, which is a sign of life as well. */
const silentMsMax = 60_000;
/** A consumer fetches three times a second, unless its records wait for a handler; then it begins them. */
const fetchMsMax = 10_000;

/** Readiness and liveness of a consumer, from the events that it reports. */
export class ConsumerHealth {
  private member = false;
  private lost = false;
  private fetchedAtMs = -Infinity;
  private signAtMs = performance.now();
  private lastFailure: string | undefined;

  /** Why it could not consume, the last time; undefined since it has. */
  get problem(): string | undefined {
    return this.lastFailure;
  }

  /** It has joined its group and read from its position. */
  get ready(): boolean {
    return this.member && performance.now() - this.fetchedAtMs < fetchMsMax;
  }

  /** False when it has stopped consuming for good, or has reported nothing for a minute. */
  get alive(): boolean {
    return !this.lost && performance.now() - this.signAtMs < silentMsMax;
  }

  joined(): void {
    this.member = true;
    this.lost = false;
    this.fetchedAtMs = -Infinity;
    this.beat();
  }

  /** A fetch has returned, or a record of one has begun. */
  fetched(): void {
    this.beat();
    if (!this.member) return;
    this.fetchedAtMs = this.signAtMs;
    this.lastFailure = undefined;
  }

  beat(): void {
    this.signAtMs = performance.now();
  }

  /** It could not start, and will try again. */
  failed(problem: string): void {
    this.lastFailure = problem;
    this.beat();
  }

  /**
   * Without the right to consume, restarting the process would not help, and it stays alive.
   *
   * @param restarts whether kafkajs restarts it by itself
   */
  crashed(restarts: boolean): void {
    this.member = false;
    this.lost = !restarts && !isDenied(this.lastFailure);
    this.beat();
  }
}

/** A missing right or a failed sign-in, in the brokers' words. */
const isDenied = (failure = ''): boolean => /(authorization|authentication) failed/i.test(failure);
