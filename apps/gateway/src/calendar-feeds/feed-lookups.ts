import { Injectable } from '@nestjs/common';
import { SlidingWindow } from '@postroom/access';
import { FairQueue, QueueRefused } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import { clientNetwork } from '../authentication/index.js';

/** Whoever has no key is not counted against one: this many look-ups run at once, and wait for it. */
const atOnce = 10;
const waitingMax = 200;
const waitingMaxPerKey = 20;
const waitMaxMs = 5_000;

/** Addresses of no feed that one network may ask for in a minute. */
const missesMax = 30;
const windowMs = 60_000;

/** Bounds what strangers may look up: networks take turns, and one that guesses addresses is refused. */
@Injectable()
export class FeedLookups {
  private readonly queue = new FairQueue({ capacity: atOnce, waitingMax, waitingMaxPerKey });
  private readonly misses = new SlidingWindow();

  /**
   * Looks up a feed as `find` does, which throws CALENDAR_NOT_FOUND when there is none.
   *
   * @throws Problem ROUTE_NOT_FOUND when there is none, RATE_LIMITED after too many such,
   *   SERVICE_UNAVAILABLE when too many wait
   */
  async run<T>(clientAddress: string, find: () => Promise<T>): Promise<T> {
    const network = clientNetwork(clientAddress);
    const seconds = this.misses.waitSeconds(network, missesMax, windowMs, performance.now());
    if (seconds > 0)
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(seconds) } });
    try {
      return await this.queue.run(find, { key: network, waitMaxMs });
    } catch (cause) {
      if (cause instanceof QueueRefused) throw new Problem('SERVICE_UNAVAILABLE', { cause });
      if (!(cause instanceof Problem && cause.code === 'CALENDAR_NOT_FOUND')) throw cause;
      const nowMs = performance.now();
      this.misses.add(network, 1, nowMs, nowMs - windowMs);
      // It is answered like every other unknown address.
      throw new Problem('ROUTE_NOT_FOUND');
    }
  }
}
