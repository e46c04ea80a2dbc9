import { FairQueue, QueueRefused, type FairQueueOptions } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

const smallMax = 1024 * 1024;

/** Bytes of messages that are worked on at a time; workspaces take turns. */
export class MemoryBudget {
  private readonly queue: FairQueue;

  /** @param bounds on how many may wait; more would leave other operations no room */
  constructor(bytesMax: number, bounds: Omit<FairQueueOptions, 'capacity'> = {}) {
    this.queue = new FairQueue({ capacity: bytesMax, ...bounds });
  }

  /**
   * Runs `work` once there is room for its bytes. Small work runs at once, so that it never waits
   * behind large work; work that is larger than the budget runs alone.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too many wait
   */
  async run<T>(tenantId: string, bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes <= smallMax) return work();
    try {
      return await this.queue.run(work, { key: tenantId, weight: bytes });
    } catch (cause) {
      if (cause instanceof QueueRefused) throw new Problem('SERVICE_UNAVAILABLE', { cause });
      throw cause;
    }
  }
}
