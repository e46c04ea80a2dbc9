/** Longer than kafkajs tries before it starts over, which is a sign of life too. */
const silentMsMax = 60_000;
/** A consumer fetches thrice a second, or has records that wait for a place; then it begins them. */
const fetchMsMax = 10_000;

/** What a consumer's signs say of it. */
export class ConsumerHealth {
  private member = false;
  private lost = false;
  private fetchedAtMs = -Infinity;
  private signAtMs = performance.now();

  /** It is in its group, and its position is known: it has read from there. */
  get ready(): boolean {
    return this.member && performance.now() - this.fetchedAtMs < fetchMsMax;
  }

  /** False when it has stopped consuming for good, or gives no sign any more. */
  get alive(): boolean {
    return !this.lost && performance.now() - this.signAtMs < silentMsMax;
  }

  joined(): void {
    this.member = true;
    this.lost = false;
    this.fetchedAtMs = -Infinity;
    this.beat();
  }

  /** A fetch came back, or a record of one was begun. */
  fetched(): void {
    this.beat();
    if (this.member) this.fetchedAtMs = this.signAtMs;
  }

  beat(): void {
    this.signAtMs = performance.now();
  }

  /** `restarts`: the client starts it again by itself. */
  crashed(restarts: boolean): void {
    this.member = false;
    this.lost = !restarts;
    this.beat();
  }
}
