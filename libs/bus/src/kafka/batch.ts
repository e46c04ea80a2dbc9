import { BusUnavailable } from '../bus.js';

/** Bounds on the records and bytes of one send. */
const countMax = 256;
const bytesMax = 512 * 1024;
/** Interval at which waiting items past their deadline are dropped while no send can begin. */
const dropExpiredEveryMs = 1_000;

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
  readonly deadlineMs: number;
  readonly sent: () => void;
  readonly failed: (cause: unknown) => void;
}

export interface BatchOptions<T> {
  readonly send: (items: readonly T[]) => Promise<void>;
  /** Concurrent sends; items that are added in the meantime leave with the next send. */
  readonly sendsMax: number;
  /** A failed send also fails what waits behind it, so that nothing overtakes an item that is sent again. */
  readonly ordered: boolean;
}

/**
 * Sends items together that are added within one turn of the event loop: no added latency under low
 * load, few sends under high load.
 */
export class Batch<T> {
  private waiting: Waiting<T>[] = [];
  private sends = 0;
  private scheduled = false;
  private dropping: NodeJS.Timeout | undefined;

  constructor(private readonly options: BatchOptions<T>) {}

  /**
   * Resolves when the item was sent.
   * @throws BusUnavailable `deadline` when it could not be sent before its deadline.
   */
  sendInBatch(item: T, bytes: number, deadlineMs = Infinity): Promise<void> {
    return new Promise<void>((sent, failed) => {
      this.waiting.push({ item, bytes, deadlineMs, sent, failed });
      this.schedule();
    });
  }

  private schedule(): void {
    // oxlint-disable-next-line postroom/owned-limits -- as below
    if (this.sends >= this.options.sendsMax) {
      this.dropExpiredLater();
      return;
    }
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      // oxlint-disable-next-line postroom/owned-limits -- records of one topic leave in the order they came
      while (this.waiting.length > 0 && this.sends < this.options.sendsMax) this.sendNext();
    });
  }

  /** A send that hangs must not keep the records of callers that have given up in memory. */
  private dropExpiredLater(): void {
    this.dropping ??= setTimeout(() => {
      this.dropping = undefined;
      this.waiting = withoutExpired(this.waiting);
      if (this.waiting.length > 0) this.schedule();
    }, dropExpiredEveryMs).unref();
  }

  private sendNext(): void {
    const batch = this.next();
    if (batch.length === 0) return;
    this.sends += 1;
    const end = (report: () => void): void => {
      this.sends -= 1;
      report();
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

  /** The oldest items that fit; one that is larger than a batch is sent alone. */
  private next(): Waiting<T>[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: more } of this.waiting) {
      if (count === countMax || (count > 0 && bytes + more > bytesMax)) break;
      bytes += more;
      count += 1;
    }
    return withoutExpired(this.waiting.splice(0, count));
  }
}

/** The items whose deadline has not passed; the others fail. */
function withoutExpired<T>(waiting: readonly Waiting<T>[]): Waiting<T>[] {
  const now = Date.now();
  return waiting.filter(({ deadlineMs, failed }) => {
    if (now < deadlineMs) return true;
    failed(new BusUnavailable('deadline'));
    return false;
  });
}
