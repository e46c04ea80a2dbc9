import { Problem } from '@postroom/contracts';

const smallMax = 1024 * 1024;

/** Bytes that may be worked on at a time; who finds no room waits, first come first. */
export class Room {
  private readonly waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  private taken = 0;

  /** @param waitsMax how many may wait; more would leave other operations no room */
  constructor(
    private readonly bytesMax: number,
    private readonly waitsMax = Infinity,
  ) {}

  /**
   * Runs `work` once there is room for it: at once what is small, so that it never waits behind what is
   * large; alone what is larger than all of it.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many wait
   */
  async for<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes <= smallMax) return work();
    const share = Math.min(bytes, this.bytesMax);
    if (this.waiting.length > 0 || this.taken + share > this.bytesMax) {
      if (this.waiting.length >= this.waitsMax) throw new Problem('SERVICE_UNAVAILABLE');
      await new Promise<void>((enter) => this.waiting.push({ bytes: share, enter }));
    } else this.taken += share;
    try {
      return await work();
    } finally {
      this.taken -= share;
      this.letIn();
    }
  }

  private letIn(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if (this.taken + next.bytes > this.bytesMax) return;
      this.waiting.shift();
      this.taken += next.bytes;
      next.enter();
    }
  }
}
