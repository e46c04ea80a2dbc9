import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight, withTimeout } from '@postroom/concurrency';
import type { Consumer, EachBatchPayload, IHeaders, Kafka } from 'kafkajs';
import { consuming, kafkaClient, type ClientOptions } from './client.js';
import { Commits } from './commits.js';
import { ConsumerHealth } from './consumer-health.js';
import { isPassing } from './retriable.js';

/** A record as the broker hands it on; nothing of it has been checked. */
export interface Arrival {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly headers?: IHeaders | undefined;
  readonly value: Buffer | null;
}

/** What a consumer takes on, and leaves open behind it. */
export interface Bounds {
  /** Records under way before fetching waits for one to end. */
  readonly underWayMax: number;
  /** How long what is done may wait for its commit. */
  readonly commitEveryMs: number;
  /** Records of a partition past its oldest one under way, at which no more of it are taken. */
  readonly commitDistanceMax: number;
}

export interface ConsumptionOptions extends Bounds {
  readonly client: ClientOptions;
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Handles a record; many are under way at a time. Settles when its effect and its reply are
   * stored; rejecting leaves it uncommitted, to be delivered again to whoever comes next.
   */
  readonly consume: (record: Arrival) => Promise<void>;
}

/**
 * Also how long the broker keeps a fetch that finds nothing: kafkajs sends heartbeats between
 * fetches, and each empty one costs both ends some 1.5 ms of CPU.
 */
const heartbeatMs = 300;
const openAgainAfterMs = 200;
/** One in five seconds, and not the first: a topic made a moment ago is unknown a moment more. */
const warnEvery = 25;
const leaveWithinMs = 5_000;
/** Longer than the deadline of all but sends and large downloads, which are given up. */
const finishWithinMs = 15_000;
const holdMs = 1_000;
/** What kafkajs does not try again (a right that is missing) is seldom cured within moments. */
const giveUpMs = 1_000;

/**
 * A member of a consumer group that hands on records without waiting for them, and commits behind
 * them. It begins at the oldest record that the group has not committed, waits for brokers that are
 * not there, and opens anew what kafkajs gives up.
 */
export class Consumption {
  readonly life = new ConsumerHealth();
  private readonly kafka: Kafka;
  private readonly commits: Commits;
  private readonly inFlight = new InFlight();
  private consumer: Consumer | undefined;
  private opening: Promise<void>;
  private ended: (() => void) | undefined;
  private stopping = false;

  constructor(private readonly options: ConsumptionOptions) {
    // A client of its own: who tries to connect is told apart by it.
    this.kafka = kafkaClient(options.client, {
      ...consuming,
      onConnecting: () => this.life.beat(),
    });
    this.commits = new Commits({ log: options.client.log, everyMs: options.commitEveryMs });
    this.opening = this.open();
  }

  /** Stops fetching, waits for what is under way, commits, and leaves the group. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.pause();
    await withTimeout(this.inFlight.none(), finishWithinMs, () => undefined);
    const leaving = this.opening
      .then(() => this.commits.stop())
      .then(() => this.consumer?.disconnect())
      .catch((err: unknown) => this.options.client.log.debug({ err }, 'bus: left without a word'));
    await withTimeout(leaving, leaveWithinMs, () => undefined);
  }

  /** What was fetched already is left lying by `take`. */
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
        // A crash during the stop must not bring it to life again.
        retry: { maxRetryTime: 300, ...consuming, restartOnFailure: async () => !this.stopping },
      });
      this.watch(consumer);
      try {
        await consumer.connect();
        await consumer.subscribe({ topics: [...topics], fromBeginning: true });
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: (payload) => this.take(payload),
        });
        this.consumer = consumer;
        if (this.isStopping()) await consumer.disconnect();
        return;
      } catch (err) {
        this.life.beat();
        const say = failures % warnEvery === warnEvery - 1 ? 'warn' : 'debug';
        client.log[say]({ err, group, topics }, 'bus: cannot consume yet');
        await consumer.disconnect().catch(() => undefined);
        await sleep(openAgainAfterMs, undefined, { ref: false });
      }
    }
  }

  private openLater(): void {
    this.opening = sleep(giveUpMs, undefined, { ref: false }).then(() => this.open());
  }

  /** Read anew: it may have become true while something was awaited. */
  private isStopping(): boolean {
    return this.stopping;
  }

  private watch(consumer: Consumer): void {
    const { group, client } = this.options;
    const { GROUP_JOIN, REBALANCING, FETCH, HEARTBEAT, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      this.commits.joined(memberId, memberAssignment);
      this.life.joined();
    });
    // Ahead of the new join, on the same connection: a refusal leaves no trace but its commit, and
    // asked again of whoever gets the partition it might be granted, after its caller was told no.
    consumer.on(REBALANCING, () => void this.commits.commit());
    consumer.on(FETCH, () => this.life.fetched());
    consumer.on(HEARTBEAT, () => this.life.beat());
    consumer.on(CRASH, ({ payload: { error, restart } }) => {
      this.commits.crashed();
      if (this.stopping) return;
      // A new broker loads the group's coordinator: a moment, that each consumer would warn of.
      const say = restart && isPassing(error) ? 'debug' : 'warn';
      client.log[say]({ err: error, group, restart }, 'bus: consumer crashed');
      this.life.crashed(restart);
      if (!restart) this.openLater();
    });
  }

  private async take(payload: EachBatchPayload): Promise<void> {
    if (this.commits.of(payload).distance >= this.options.commitDistanceMax) {
      this.hold(payload);
      return;
    }
    for (const message of payload.batch.messages) {
      while (this.inFlight.size >= this.options.underWayMax && !this.stopping) {
        await this.oneEnds();
        await payload.heartbeat();
      }
      if (this.stopping || !payload.isRunning() || payload.isStale()) return;
      this.begin(payload, message);
      payload.resolveOffset(message.offset);
    }
    await payload.heartbeat();
  }

  /** All that is done behind a record that does not end would be delivered again after a crash. */
  private hold(payload: EachBatchPayload): void {
    const { topic, partition } = payload.batch;
    const message = 'bus: a partition waits for its oldest record to end';
    this.options.client.log.warn({ group: this.options.group, topic, partition }, message);
    setTimeout(payload.pause(), holdMs).unref();
  }

  private begin(
    payload: EachBatchPayload,
    message: Omit<Arrival, 'topic'> & { readonly offset: string },
  ): void {
    const { topic, partition } = payload.batch;
    const offsets = this.commits.of(payload);
    const offset = Number(message.offset);
    // While all places are taken there is no fetch for as long as that lasts.
    this.life.fetched();
    if (!offsets.take(offset)) return;
    const { key, headers, value } = message;
    this.inFlight
      .run(() => this.options.consume({ topic, key, headers, value }))
      .then(
        () => offsets.finish(offset),
        (err: unknown) =>
          this.options.client.log.warn({ err, topic, partition, offset }, 'bus: record put back'),
      )
      .finally(() => this.ended?.());
  }

  /** Waits for a record to end, but not past the time for a heartbeat. */
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
