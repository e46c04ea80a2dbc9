import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The services pass on no more than that in a second, and it would take the cores that requests need. */
const bytesPerMs = (16 * 1024 * 1024) / 1000;

/** The place of a small body, which does not wait. */
export const aheadOfAll = -1;

/** A piece that is to be worked on. */
interface Waiting {
  readonly place: number;
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * One piece of work in each iteration of the event loop, and so many bytes a second, for all requests. The
 * first of twenty concurrent uploads goes first, so that its message can leave while the others come; one whose
 * sender is slow holds up no other.
 */
export class Turns {
  private readonly waiting: Waiting[] = [];
  private places = 0;
  private isServing = false;
  private dueMs = 0;

  /** A place behind all that were taken before. */
  place(): number {
    return this.places++;
  }

  /** Resolves when a piece of so many bytes may be worked on. */
  mine(place: number, bytes: number): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push({ place, bytes, begin });
      if (!this.isServing) void this.serve();
    });
  }

  private async serve(): Promise<void> {
    this.isServing = true;
    while (this.waiting.length > 0) {
      const aheadMs = this.dueMs - performance.now();
      await (aheadMs < 1 ? nextTurn() : sleep(aheadMs));
      this.next();
    }
    this.isServing = false;
  }

  private next(): void {
    const first = this.waiting.reduce((a, b) => (b.place < a.place ? b : a));
    this.waiting.splice(this.waiting.indexOf(first), 1);
    this.dueMs = Math.max(this.dueMs, performance.now()) + first.bytes / bytesPerMs;
    first.begin();
  }
}
