/** Bytes of messages that may be in memory at once, over all connections. */
export class ReceptionBudget {
  private taken = 0;

  constructor(private readonly bytesMax: number) {}

  /** Whether so much more would fit now. */
  hasRoom(bytes: number): boolean {
    return this.taken + bytes <= this.bytesMax;
  }

  /** Reserves bytes until `release`; false when they do not fit. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.taken -= bytes;
  }
}
