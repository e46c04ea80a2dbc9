import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight, withTimeout } from '@postroom/concurrency';
import type { Consumer, EachBatchPayload, IHeaders, Kafka } from 'kafkajs';
import { type ClientOptions, consuming, isTransient, kafkaClient } from './client.js';
import { Commits } from './commits.js';
import { ConsumerHealth } from './consumer-health.js';

/** A record as the broker delivered it, unchecked. */
export interface ConsumedRecord {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly headers?: IHeaders | undefined;
  readonly value: Buffer | null;
}

/** Limits of a consumer's work in flight and uncommitted. */
export interface ConsumerLimits {
  /** Records in flight at which fetching waits for one to end. */
  readonly recordsInFlightMax: number;
  /** The longest wait of a handled record for its commit. */
  readonly commitEveryMs: number;
  /** Distance of a partition's newest record from its oldest one in flight at which the partition is paused. */
  readonly commitDistanceMax: number;
}

export interface GroupMemberOptions extends ConsumerLimits {
  readonly client: ClientOptions;
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Handles a record; many are in flight at a time. Resolves when its effect and its reply are stored;
   * when it rejects, the record stays uncommitted and is delivered again after the next rebalance.
   */
  readonly consume: (record: ConsumedRecord) => Promise<void>;
}

/**
 * Also how long the broker holds a fetch that finds nothing: kafkajs sends heartbeats between fetches,
 * and each empty fetch costs both ends some 1.5 ms of CPU.
 */
const heartbeatMs = 300;
const reopenAfterMs = 200;
/** One warning in five seconds, and not at the first failure: a new topic is unknown for a moment. */
const warnEvery = 25;
const leaveWithinMs = 5_000;
/** Longer than all deadlines but those of sends and large downloads, which are abandoned. */
const finishWithinMs = 15_000;
const pauseMs = 1_000;
/** Long, since a fault that kafkajs does not retry, such as a missing permission, is seldom repaired quickly. */
const recreateAfterMs = 1_000;

/**
 * A member of a consumer group that handles records concurrently, and commits an offset once all records before it
 * have ended. It starts at the oldest record that the group has not committed, waits for brokers that cannot be
 * reached, and creates a new consumer when kafkajs gives up.
 */
export class GroupMember {
  readonly health = new ConsumerHealth();
  private readonly kafka: Kafka;
  private readonly commits: Commits;
  private readonly inFlight = new InFlight();
  /** When the brokers got the records in flight, in ms: of some hundreds at most. */
  private readonly takenAtMs = new Set<{ readonly ms: number }>();
  private consumer: Consumer | undefined;
  private opening: Promise<void>;
  private ended: (() => void) | undefined;
  private stopping = false;

  constructor(private readonly options: GroupMemberOptions) {
    // A client of its own, so that attempts to connect count for this member alone.
    this.kafka = kafkaClient(options.client, {
      ...consuming,
      onConnecting: () => this.health.beat(),
      onFailure: (failure) => this.health.failed(`${options.group}: ${failure}`),
    });
    this.commits = new Commits({ log: options.client.log, everyMs: options.commitEveryMs });
    this.opening = this.open();
  }

  get group(): string {
    return this.options.group;
  }

  /** Age of the oldest record in flight, since the brokers got it; 0 without one. */
  get lagMs(): number {
    const oldest = Math.min(...[...this.takenAtMs].map(({ ms }) => ms));
    return Number.isFinite(oldest) ? Math.max(0, Date.now() - oldest) : 0;
  }

  /** Stops fetching, waits for the records in flight, commits, and leaves the group. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.pause();
    await withTimeout(this.inFlight.none(), finishWithinMs, () => undefined);
    const leaving = this.opening
      .then(() => this.commits.stop())
      .then(() => this.consumer?.disconnect())
      .catch((err: unknown) =>
        this.options.client.log.debug({ err }, 'bus: leaving the consumer group failed'),
      );
    await withTimeout(leaving, leaveWithinMs, () => undefined);
  }

  /** `take` ignores what has been fetched already. */
  private pause(): void {
    try {
      this.consumer?.pause(this.options.topics.map((topic) => ({ topic })));
    } catch {
      // Between a crash and its restart there is nothing to pause.
    }
  }

  private async open(): Promise<void> {
    const { group, topics, client } = this.options;
    for (let failures = 0; !this.stopping; failures += 1) {
      const consumer = this.kafka.consumer({
        groupId: group,
        heartbeatInterval: heartbeatMs,
        sessionTimeout: 6_000,
        maxWaitTimeInMs: heartbeatMs,
        allowAutoTopicCreation: false,
        // A crash during the stop must not restart the consumer.
        retry: { maxRetryTime: 300, ...consuming, restartOnFailure: async () => !this.stopping },
      });
      this.watch(consumer);
      try {
        await consumer.connect();
        await consumer.subscribe({ topics: [...topics], fromBeginning: true });
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: (payload) => this.consumeBatch(payload),
        });
        this.consumer = consumer;
        if (this.isStopping()) await consumer.disconnect();
        return;
      } catch (err) {
        this.health.failed(`${group}: ${String(err)}`);
        const level = failures % warnEvery === warnEvery - 1 ? 'warn' : 'debug';
        client.log[level]({ err, group, topics }, 'bus: consumer could not start, retrying');
        await consumer.disconnect().catch(() => undefined);
        await sleep(reopenAfterMs, undefined, { ref: false });
      }
    }
  }

  private openLater(): void {
    this.opening = sleep(recreateAfterMs, undefined, { ref: false }).then(() => this.open());
  }

  /** A method, because TypeScript assumes that the field is unchanged after an await. */
  private isStopping(): boolean {
    return this.stopping;
  }

  private watch(consumer: Consumer): void {
    const { group, client } = this.options;
    const { GROUP_JOIN, REBALANCING, FETCH, HEARTBEAT, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      this.commits.joined(memberId, memberAssignment);
      this.health.joined();
    });
    // Before the new join, on the same connection: a refused request leaves no trace but its commit.
    // Redelivered to the partition's next owner it might succeed, though its caller has had the refusal.
    consumer.on(REBALANCING, () => void this.commits.commit());
    consumer.on(FETCH, () => this.health.fetched());
    consumer.on(HEARTBEAT, () => this.health.beat());
    consumer.on(CRASH, ({ payload: { error, restart } }) => {
      this.commits.crashed();
      if (this.stopping) return;
      // While a new broker loads the group coordinator, every consumer would warn.
      const level = restart && isTransient(error) ? 'debug' : 'warn';
      client.log[level]({ err: error, group, restart }, 'bus: consumer crashed');
      this.health.crashed(restart);
      if (!restart) this.openLater();
    });
  }

  private async consumeBatch(payload: EachBatchPayload): Promise<void> {
    if (this.commits.of(payload).distance >= this.options.commitDistanceMax) {
      this.pausePartition(payload);
      return;
    }
    for (const message of payload.batch.messages) {
      // oxlint-disable-next-line postroom/owned-limits -- it holds back fetching in the order of a partition, which cannot be changed
      while (this.inFlight.size >= this.options.recordsInFlightMax && !this.stopping) {
        await this.oneEnds();
        await payload.heartbeat();
      }
      if (this.stopping || !payload.isRunning() || payload.isStale()) return;
      this.consumeRecord(payload, message);
      payload.resolveOffset(message.offset);
    }
    await payload.heartbeat();
  }

  /** Everything handled behind a record that does not end would be redelivered after a crash. */
  private pausePartition(payload: EachBatchPayload): void {
    const { topic, partition } = payload.batch;
    const message = 'bus: partition paused, it waits for its oldest record to end';
    this.options.client.log.warn({ group: this.options.group, topic, partition }, message);
    setTimeout(payload.pause(), pauseMs).unref();
  }

  private consumeRecord(
    payload: EachBatchPayload,
    message: Omit<ConsumedRecord, 'topic'> & {
      readonly offset: string;
      readonly timestamp: string;
    },
  ): void {
    const { topic, partition } = payload.batch;
    const offsets = this.commits.of(payload);
    const offset = Number(message.offset);
    // Records that wait for a handler keep fetches from happening.
    this.health.fetched();
    if (!offsets.markInFlight(offset)) return;
    const { key, headers, value } = message;
    const { log } = this.options.client;
    const taken = { ms: Number(message.timestamp) };
    this.takenAtMs.add(taken);
    const handle = (): Promise<void> =>
      this.options.consume({ topic, key, headers, value }).then(
        () => offsets.finish(offset),
        (err: unknown) =>
          log.warn({ err, topic, partition, offset }, 'bus: record failed, it stays uncommitted'),
      );
    void this.inFlight.track(handle).finally(() => {
      this.takenAtMs.delete(taken);
      this.ended?.();
    });
  }

  /** Waits for a record to end, but no longer than until the next heartbeat. */
  private async oneEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, heartbeatMs);
      this.ended = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.ended = undefined;
  }
}
