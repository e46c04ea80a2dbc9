import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@postroom/concurrency';
import { replyTopic } from '@postroom/contracts';
import type { Admin, Kafka } from 'kafkajs';
import type { BusLog } from '../bus.js';
import type { ClientOptions } from './client.js';
import { Consumption, type Arrival } from './consumption.js';
import { ConsumerHealth } from './consumer-health.js';
import { recordConfig } from './topics.js';

export interface ReplyTopicOptions {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly instance: string;
  readonly take: (reply: Arrival) => void;
}

/** A reply is worthless after its request's deadline of seconds. */
const retentionMs = 600_000;
const lookEveryMs = 1_000;
const missesOfNew = 3;
const againAfterMs = 300;
/** In all: a broker that is away is not waited for, and the topic's records end by themselves. */
const leaveWithinMs = 6_000;

/**
 * The topic of this instance's replies: made when it starts, read by it alone, removed when it stops,
 * and made anew when somebody else has removed it.
 */
export class ReplyTopic {
  readonly name: string;
  /** Resolves when the topic exists: from then on no reply is lost. */
  readonly made: Promise<void>;
  /** The making under way, or the last one. */
  private making: Promise<void>;
  private readonly admin: Admin;
  private consumption: Consumption | undefined;
  private readonly unread = new ConsumerHealth();
  private readonly groups: string[] = [];
  private closed = false;

  constructor(private readonly options: ReplyTopicOptions) {
    this.name = replyTopic(options.instance, options.prefix);
    this.admin = options.kafka.admin();
    this.made = this.making = this.make();
    void this.made.then(() => this.watch());
  }

  get life(): ConsumerHealth {
    return this.consumption?.life ?? this.unread;
  }

  async close(): Promise<void> {
    this.closed = true;
    const leaving = this.leave().catch((err: unknown) =>
      this.options.log.warn({ err, topic: this.name }, 'bus: reply topic not removed'),
    );
    await withTimeout(leaving, leaveWithinMs, () => undefined);
  }

  private async make(): Promise<void> {
    const { log } = this.options;
    while (!this.isClosed()) {
      try {
        await this.admin.connect();
        const isNew = await this.admin.createTopics({
          waitForLeaders: false,
          topics: [
            {
              topic: this.name,
              numPartitions: 1,
              configEntries: recordConfig(retentionMs),
            },
          ],
        });
        // Whose name this process has was killed: nobody waits for what it left unread.
        if (!isNew) await this.empty();
        this.consumption = this.read();
        return;
      } catch (err) {
        this.unread.beat();
        log.warn({ err, topic: this.name }, 'bus: reply topic not made yet');
        await sleep(againAfterMs);
      }
    }
  }

  private async empty(): Promise<void> {
    const topic = this.name;
    const ends = await this.admin.fetchTopicOffsets(topic);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await this.admin.deleteTopicRecords({ topic, partitions });
  }

  /**
   * Read from its beginning: what was written before the group was joined is a reply as well. Each
   * making has a group of its own, which does not wait for the last one's member to leave, be it one
   * of a process of this name that was killed, nor remembers a position in a topic that is gone.
   */
  private read(): Consumption {
    const { client, take } = this.options;
    const group = `${this.name}.${randomUUID()}`;
    this.groups.push(group);
    return new Consumption({
      client,
      group,
      topics: [this.name],
      underWayMax: Infinity,
      commitEveryMs: 500,
      commitDistanceMax: Infinity,
      consume: async (reply) => take(reply),
    });
  }

  /** A slow broker lists a new topic late: what was never seen is looked for three times. */
  private async watch(): Promise<void> {
    let missesLeft = missesOfNew;
    while (!this.isClosed()) {
      await sleep(lookEveryMs, undefined, { ref: false });
      if (this.isClosed()) return;
      // A broker that does not answer says nothing of the topic.
      const topics = await this.admin.listTopics().catch(() => undefined);
      if (this.isClosed() || !topics) continue;
      const there = topics.includes(this.name);
      missesLeft = there ? 1 : missesLeft - 1;
      if (missesLeft > 0) continue;
      missesLeft = missesOfNew;
      this.options.log.warn({ topic: this.name }, 'bus: reply topic vanished, making it anew');
      const blind = this.consumption;
      this.making = this.make();
      await this.making;
      await blind?.stop();
    }
  }

  /** Read anew: it may have become true while something was awaited. */
  private isClosed(): boolean {
    return this.closed;
  }

  private async leave(): Promise<void> {
    await this.making;
    await this.consumption?.stop();
    await this.admin.deleteTopics({ topics: [this.name] });
    await this.admin.deleteGroups(this.groups).catch(() => undefined);
    await this.admin.disconnect();
  }
}
