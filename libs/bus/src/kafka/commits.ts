import type { EachBatchPayload } from 'kafkajs';
import type { BusLog } from '../bus.js';

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
  /** The longest wait of a handled record for its commit. */
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

/**
 * The records of one partition that have begun and are not committed. The oldest offset that is not
 * done may be committed: after a crash everything from there on is redelivered, so that a record is
 * handled twice at worst and never lost.
 */
export class PartitionOffsets {
  private readonly inFlight = new Set<number>();
  /** Done, but not yet committed. */
  private readonly done = new Set<number>();
  private next = 0;

  /** The distance from the offset that may be committed to the newest record that has begun. */
  get distance(): number {
    const [oldest = this.next] = this.inFlight;
    return this.next - oldest;
  }

  /** False for a redelivery: the record is in flight, or done and about to be committed. */
  markInFlight(offset: number): boolean {
    if (this.inFlight.has(offset) || this.done.has(offset)) return false;
    this.inFlight.add(offset);
    this.next = offset + 1;
    return true;
  }

  finish(offset: number): void {
    if (this.inFlight.delete(offset)) this.done.add(offset);
  }

  /** The offset of the next record to read, as Kafka commits it; undefined when there is nothing new. */
  committable(): number | undefined {
    const offset = this.inFlight.size > 0 ? Math.min(...this.inFlight) : this.next;
    return this.doneBelow(offset).length > 0 ? offset : undefined;
  }

  wasCommitted(offset: number): void {
    for (const done of this.doneBelow(offset)) this.done.delete(done);
  }

  private doneBelow(offset: number): number[] {
    return [...this.done].filter((done) => done < offset);
  }
}

/** A position in a partition. */
interface Position {
  readonly topic: string;
  readonly partition: number;
  /** The offset of the next record to read. */
  readonly offset: number;
}

/** The offsets of all partitions that are assigned to a consumer. */
export class Offsets {
  private readonly partitions = new Map<string, [string, number, PartitionOffsets]>();

  of(topic: string, partition: number): PartitionOffsets {
    const name = `${topic}/${partition}`;
    const known = this.partitions.get(name);
    if (known) return known[2];
    const offsets = new PartitionOffsets();
    this.partitions.set(name, [topic, partition, offsets]);
    return offsets;
  }

  /**
   * Forgets the partitions that were assigned to another member: a commit for them would overwrite that
   * one's. Their records in flight end nevertheless, and the other member handles them again.
   */
  keep(assigned: Readonly<Record<string, readonly number[]>>): void {
    for (const [name, [topic, partition]] of this.partitions) {
      if (!assigned[topic]?.includes(partition)) this.partitions.delete(name);
    }
  }

  committable(): Position[] {
    return [...this.partitions.values()].flatMap(([topic, partition, offsets]) => {
      const offset = offsets.committable();
      return offset === undefined ? [] : [{ topic, partition, offset }];
    });
  }

  wereCommitted(positions: readonly Position[]): void {
    for (const { topic, partition, offset } of positions) {
      this.partitions.get(`${topic}/${partition}`)?.[2].wasCommitted(offset);
    }
  }
}
