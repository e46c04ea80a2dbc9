import type { EachBatchPayload } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { Offsets, type PartitionOffsets } from './offsets.js';

/**
 * The parts of a batch that commits need. Its own commit sends the positions once. kafkajs's
 * `consumer.commitOffsets` is no alternative: it retries for a minute under whatever generation there
 * is by then, though the positions are from before a rebalance, and it resolves without having committed
 * when the consumer has stopped.
 */
export interface CommittableBatch extends Pick<EachBatchPayload, 'commitOffsetsIfNecessary'> {
  readonly batch: Pick<EachBatchPayload['batch'], 'topic' | 'partition'>;
}

export interface CommitsOptions {
  readonly log: BusLog;
  /** How long a handled record may wait for its commit. */
  readonly everyMs: number;
}

/** Commits handled records on a timer; kafkajs's own commits follow every batch, handled or not. */
export class Commits {
  private readonly offsets = new Offsets();
  private readonly timer: NodeJS.Timeout;
  private member: string | undefined;
  private last: CommittableBatch | undefined;
  private committing = false;

  constructor(private readonly options: CommitsOptions) {
    this.timer = setInterval(() => {
      if (!this.committing) void this.commit();
    }, options.everyMs).unref();
  }

  /** The offsets of a batch's partition; the last batch is the one to commit through. */
  of(batch: CommittableBatch): PartitionOffsets {
    this.last = batch;
    return this.offsets.of(batch.batch.topic, batch.batch.partition);
  }

  /**
   * Forgets what this consumer may no longer commit: partitions that were assigned to another member,
   * and all of them when it was removed from the group and has joined as a new member, since another
   * one may have had them in between.
   */
  joined(member: string, assigned: Readonly<Record<string, readonly number[]>>): void {
    this.offsets.keep(member === this.member ? assigned : {});
    this.member = member;
  }

  /** A consumer that crashed has left its group; committing through it would connect it again. */
  crashed(): void {
    this.last = undefined;
  }

  /** Commits a last time. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.commit();
  }

  /** A failed commit needs no retry: the next one commits the same positions and later ones. */
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
