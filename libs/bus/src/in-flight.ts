/**
 * How many requests are under way. A number and not a Set of their promises: a Set that fills and
 * empties all the time leaves discarded tables in V8's old space, and these keep what the requests
 * hold out of its quick collections, until the next full one.
 */
export class InFlight {
  private count = 0;
  private waiting: (() => void)[] = [];

  get size(): number {
    return this.count;
  }

  begin(): void {
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count === 0) for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves when none is under way. */
  async none(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
