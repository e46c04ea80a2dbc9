import { BusUnavailable } from '../bus.js';

/** At most this many records leave in one go, and at most so many bytes. */
const countMax = 256;
const bytesMax = 512 * 1024;
/** While nothing can leave, what is past its deadline is let go of so often. */
const sweepEveryMs = 1_000;

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
  readonly deadlineMs: number;
  readonly sent: () => void;
  readonly failed: (cause: unknown) => void;
}

export interface BatchOptions<T> {
  readonly send: (items: readonly T[]) => Promise<void>;
  /** Sends under way at a time; what comes meanwhile leaves together with the next. */
  readonly sendsMax: number;
  /** A send that fails takes what waits behind it with it: nothing overtakes what has to be sent again. */
  readonly ordered: boolean;
}

/** Sends together what is added within one turn of the event loop: quick when quiet, cheap when not. */
export class Batch<T> {
  private waiting: Waiting<T>[] = [];
  private sends = 0;
  private scheduled = false;
  private sweeping: NodeJS.Timeout | undefined;

  constructor(private readonly options: BatchOptions<T>) {}

  /**
   * Resolves when the item was sent.
   * @throws BusUnavailable `deadline` when it could not leave before its deadline.
   */
  add(item: T, bytes: number, deadlineMs = Infinity): Promise<void> {
    return new Promise<void>((sent, failed) => {
      this.waiting.push({ item, bytes, deadlineMs, sent, failed });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.sends >= this.options.sendsMax) {
      this.sweepLater();
      return;
    }
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.sends < this.options.sendsMax) this.sendNext();
    });
  }

  /** A send that hangs must not keep the records of callers that have given up. */
  private sweepLater(): void {
    this.sweeping ??= setTimeout(() => {
      this.sweeping = undefined;
      this.waiting = inTime(this.waiting);
      if (this.waiting.length > 0) this.schedule();
    }, sweepEveryMs).unref();
  }

  private sendNext(): void {
    const batch = this.next();
    if (batch.length === 0) return;
    this.sends += 1;
    const end = (settle: () => void): void => {
      this.sends -= 1;
      settle();
      if (this.waiting.length > 0) this.schedule();
    };
    this.options.send(batch.map(({ item }) => item)).then(
      () => end(() => batch.forEach(({ sent }) => sent())),
      (cause: unknown) =>
        end(() => {
          const behind = this.options.ordered ? this.waiting.splice(0) : [];
          for (const { failed } of [...batch, ...behind]) failed(cause);
        }),
    );
  }

  /** The oldest that fit; a single one that is larger than a batch goes alone. */
  private next(): Waiting<T>[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: more } of this.waiting) {
      if (count === countMax || (count > 0 && bytes + more > bytesMax)) break;
      bytes += more;
      count += 1;
    }
    return inTime(this.waiting.splice(0, count));
  }
}

/** Those whose deadline is to come; the others are told. */
function inTime<T>(waiting: readonly Waiting<T>[]): Waiting<T>[] {
  const now = Date.now();
  return waiting.filter(({ deadlineMs, failed }) => {
    if (now < deadlineMs) return true;
    failed(new BusUnavailable('deadline'));
    return false;
  });
}
