import type { Consumer } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { Offsets, type PartitionOffsets } from './offsets.js';

const everyMs = 500;

/** Commits what is done, on a timer: kafkajs's own commits come after every batch, done or not. */
export class Commits {
  private readonly offsets = new Offsets();
  private readonly timer: NodeJS.Timeout;
  private committing: Promise<void> | undefined;

  /** `consumer` is asked each time: it is another one after a crash. */
  constructor(
    private readonly consumer: () => Consumer | undefined,
    private readonly log: BusLog,
  ) {
    this.timer = setInterval(() => void this.commit(), everyMs).unref();
  }

  of(topic: string, partition: number): PartitionOffsets {
    return this.offsets.of(topic, partition);
  }

  keep(assigned: Readonly<Record<string, readonly number[]>>): void {
    this.offsets.keep(assigned);
  }

  /** Commits a last time, after what is under way already. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.committing;
    await this.commit();
  }

  /** A commit that fails is made up for by the next, which says the same and more. */
  private commit(): Promise<void> {
    this.committing ??= this.commitNow().finally(() => (this.committing = undefined));
    return this.committing;
  }

  private async commitNow(): Promise<void> {
    const consumer = this.consumer();
    const positions = this.offsets.committable();
    if (positions.length === 0 || !consumer) return;
    try {
      await consumer.commitOffsets(
        positions.map(({ topic, partition, offset }) => ({
          topic,
          partition,
          offset: String(offset),
        })),
      );
      this.offsets.wereCommitted(positions);
    } catch (err) {
      this.log.debug({ err, positions }, 'bus: commit failed');
    }
  }
}
