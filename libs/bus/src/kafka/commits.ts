import type { EachBatchPayload } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { Offsets, type PartitionOffsets } from './offsets.js';

/**
 * What a batch says of itself, and its way to commit, which sends positions once. kafkajs's own `consumer.commitOffsets` tries for a minute, under the
 * generation of that time, what was true before a rebalance; and it resolves without having
 * committed when the consumer has stopped.
 */
export interface Taken extends Pick<EachBatchPayload, 'commitOffsetsIfNecessary'> {
  readonly batch: Pick<EachBatchPayload['batch'], 'topic' | 'partition'>;
}

export interface CommitsOptions {
  readonly log: BusLog;
  /** How long what is done may wait for its commit. */
  readonly everyMs: number;
}

/** Commits what is done, on a timer: kafkajs's own commits come after every batch, done or not. */
export class Commits {
  private readonly offsets = new Offsets();
  private readonly timer: NodeJS.Timeout;
  private member: string | undefined;
  private last: Taken | undefined;
  private committing = false;

  constructor(private readonly options: CommitsOptions) {
    this.timer = setInterval(() => {
      if (!this.committing) void this.commit();
    }, options.everyMs).unref();
  }

  /** The last batch is the one to commit by. */
  of(taken: Taken): PartitionOffsets {
    this.last = taken;
    return this.offsets.of(taken.batch.topic, taken.batch.partition);
  }

  /**
   * Forgets what this consumer may no longer commit: partitions that are another's now, and all of
   * them when it was thrown out meanwhile and is a new member, since another may have had them.
   */
  joined(member: string, assigned: Readonly<Record<string, readonly number[]>>): void {
    this.offsets.keep(member === this.member ? assigned : {});
    this.member = member;
  }

  /** A consumer that crashed has left its group; to commit by it would connect it again. */
  crashed(): void {
    this.last = undefined;
  }

  /** Commits a last time. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.commit();
  }

  /** A commit that fails is made up for by the next, which says the same and more. */
  async commit(): Promise<void> {
    const positions = this.offsets.committable();
    if (positions.length === 0 || !this.last) return;
    this.committing = true;
    try {
      await this.last.commitOffsetsIfNecessary({
        topics: Object.entries(Object.groupBy(positions, ({ topic }) => topic)).map(
          ([topic, partitions = []]) => ({
            topic,
            partitions: partitions.map(({ partition, offset }) => ({
              partition,
              offset: String(offset),
            })),
          }),
        ),
      });
      this.offsets.wereCommitted(positions);
    } catch (err) {
      this.options.log.debug({ err, positions }, 'bus: commit failed');
    } finally {
      this.committing = false;
    }
  }
}
