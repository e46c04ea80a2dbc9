import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@postroom/concurrency';
import { replyTopic } from '../topics.js';
import type { Admin, Kafka } from 'kafkajs';
import type { BusLog } from '../bus.js';
import type { ClientOptions } from './client.js';
import { GroupMember, type ConsumedRecord } from './group-member.js';
import { ConsumerHealth } from './consumer-health.js';
import { explainRefusals, recordConfig, replication } from './topics.js';

export interface ReplyTopicOptions {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly instance: string;
  readonly onReply: (reply: ConsumedRecord) => void;
}

/** A reply is worthless after its request's deadline, which is seconds away. */
const retentionMs = 600_000;
const checkEveryMs = 1_000;
const missesMaxOfNew = 3;
const retryAfterMs = 300;
/** Timeout of all steps; do not wait for a broker that cannot be reached, since the records expire by themselves. */
const leaveWithinMs = 6_000;

/**
 * The topic of this instance's replies: created when it starts, read by it alone, deleted when it
 * stops, and created again when something else has deleted it.
 */
export class ReplyTopic {
  readonly name: string;
  /** Resolves when the topic exists: from then on no reply is lost. */
  readonly created: Promise<void>;
  /** The creation in progress, or the last one. */
  private creating: Promise<void>;
  private readonly admin: Admin;
  private member: GroupMember | undefined;
  /** Before there is a member. */
  private readonly initialHealth = new ConsumerHealth();
  private readonly groups: string[] = [];
  private closed = false;

  constructor(private readonly options: ReplyTopicOptions) {
    this.name = replyTopic(options.instance, options.prefix);
    this.admin = options.kafka.admin();
    this.created = this.creating = this.create();
    void this.created.then(() => this.watch());
  }

  get health(): ConsumerHealth {
    return this.member?.health ?? this.initialHealth;
  }

  async close(): Promise<void> {
    this.closed = true;
    const leaving = this.leave().catch((err: unknown) =>
      this.options.log.warn({ err, topic: this.name }, 'bus: reply topic could not be deleted'),
    );
    await withTimeout(leaving, leaveWithinMs, () => undefined);
  }

  private async create(): Promise<void> {
    const { log } = this.options;
    while (!this.isClosed()) {
      try {
        await this.admin.connect();
        const { replicationFactor, configEntries } = await replication(this.admin);
        const creating = this.admin.createTopics({
          waitForLeaders: false,
          topics: [
            {
              topic: this.name,
              numPartitions: 1,
              replicationFactor,
              configEntries: [...recordConfig(retentionMs), ...configEntries],
            },
          ],
        });
        const isNew = await creating.catch(explainRefusals);
        // A process of this name was killed: no caller waits for the replies it left unread.
        if (!isNew) await this.empty();
        this.member = this.read();
        return;
      } catch (err) {
        this.initialHealth.failed(`${this.name}: ${String(err)}`);
        log.warn({ err, topic: this.name }, 'bus: reply topic could not be created, retrying');
        await sleep(retryAfterMs);
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
   * Reads from the beginning: replies may be written before the group is joined. Each creation has a
   * group of its own, which does not wait for the previous member to leave (a process of this name may
   * have been killed), and has no position in a topic that was deleted.
   */
  private read(): GroupMember {
    const { client, onReply } = this.options;
    const group = `${this.name}.${randomUUID()}`;
    this.groups.push(group);
    return new GroupMember({
      client,
      group,
      topics: [this.name],
      recordsInFlightMax: Infinity,
      commitEveryMs: 500,
      commitDistanceMax: Infinity,
      consume: async (reply) => onReply(reply),
    });
  }

  /** A slow broker lists a new topic late: a topic that was never listed may be missing three times. */
  private async watch(): Promise<void> {
    let missesLeft = missesMaxOfNew;
    while (!this.isClosed()) {
      await sleep(checkEveryMs, undefined, { ref: false });
      if (this.isClosed()) return;
      // Without an answer nothing is known of the topic.
      const topics = await this.admin.listTopics().catch(() => undefined);
      if (this.isClosed() || !topics) continue;
      missesLeft = topics.includes(this.name) ? 1 : missesLeft - 1;
      if (missesLeft > 0) continue;
      missesLeft = missesMaxOfNew;
      this.options.log.warn(
        { topic: this.name },
        'bus: reply topic was deleted, creating it again',
      );
      const orphaned = this.member;
      this.creating = this.create();
      await this.creating;
      await orphaned?.stop();
    }
  }

  /** A method, because TypeScript assumes that the field is unchanged after an await. */
  private isClosed(): boolean {
    return this.closed;
  }

  private async leave(): Promise<void> {
    await this.creating;
    await this.member?.stop();
    await this.admin.deleteTopics({ topics: [this.name] });
    await this.admin.deleteGroups(this.groups).catch(() => undefined);
    await this.admin.disconnect();
  }
}
