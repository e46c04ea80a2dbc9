import { BusUnavailable } from './bus.js';

/** How often deadlines are looked at: one is noticed so much later at most. */
const lookEveryMs = 50;

/** What waits for its deadline; nothing once it is settled. */
interface Waiting {
  readonly deadlineMs: number;
  expire: (() => void) | null;
}

/**
 * All deadlines under one timer. One each, armed and cleared at every request, kept what hung on it over
 * V8's quick collections: some percent of what a request costs.
 */
class Deadlines {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  add(deadlineMs: number, expire: () => void): Waiting {
    const waiting = { deadlineMs, expire };
    this.waiting.push(waiting);
    this.timer ??= setTimeout(() => {
      this.look();
    }, lookEveryMs);
    return waiting;
  }

  private look(): void {
    const nowMs = Date.now();
    for (const waiting of this.waiting) {
      if (waiting.deadlineMs > nowMs) continue;
      waiting.expire?.();
      waiting.expire = null;
    }
    this.waiting = this.waiting.filter(({ expire }) => expire !== null);
    this.timer = this.waiting.length > 0 ? this.timer?.refresh() : undefined;
  }
}

const deadlines = new Deadlines();

/**
 * Settles as the work does, in time; what is late goes on unwatched.
 * @throws BusUnavailable `deadline` when it passes first
 */
export function beforeDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = deadlines.add(deadlineMs, () => {
      reject(new BusUnavailable('deadline'));
    });
    const over = (): void => {
      // Past it, and not looked at since.
      if (Date.now() >= deadlineMs) waiting.expire?.();
      waiting.expire = null;
    };
    work.then(over, over);
    work.then(resolve, reject);
  });
}
