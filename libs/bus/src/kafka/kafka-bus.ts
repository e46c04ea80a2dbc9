import { type OutgoingGroup, type ServiceName } from '@postroom/contracts';
import {
  deadLetterTopic,
  declaredTopics,
  outgoingTopic,
  replyTopic,
  requestTopic,
  type DeclaredTopic,
} from '../topics.js';
import { withTimeout } from '@postroom/concurrency';
import type { Admin, Kafka } from 'kafkajs';
import {
  BusUnavailable,
  UndeclaredTopic,
  type Bus,
  type BusHealth,
  type BusLog,
  type EmitResult,
  type EventHandler,
  type EventRecord,
  type RecordSignatures,
  type RequestHandler,
  type RequestOptions,
  type SignReply,
  type Unsubscribe,
} from '../bus.js';
import { byReferenceOverBytes } from '../by-reference.js';
import { defaultRetry, type Retry } from '../delivery.js';
import { groupOf } from '../event-record.js';
import type { ReplyEnvelope, RequestEnvelope } from '../envelope.js';
import { RequestClient } from './request-client.js';
import { kafkaClient, type KafkaConnection } from './client.js';
import type { ConsumerHealth } from './consumer-health.js';
import { countDeadLetters } from './dead-letter-replay.js';
import { Publisher } from './publisher.js';
import { RequestServer } from './request-server.js';
import { Subscription } from './subscription.js';

export interface KafkaBusOptions extends KafkaConnection {
  /** Unique among the running processes; letters, digits, `.`, `_` and `-`. */
  readonly instance: string;
  readonly log: BusLog;
  /**
   * Signs the events that leave and checks those that come. Null, for tools: no service takes what they
   * publish, and they believe what they read.
   */
  readonly signatures: RecordSignatures | null;
  /** First part of the name of every topic and group. */
  readonly prefix?: string;
  /** The topics that may be written and read; `createTopics` creates them. */
  readonly declared?: readonly DeclaredTopic[];
  /** False for a process that sends no requests, which needs no reply topic (default true). */
  readonly sendsRequests?: boolean;
  /** Records in flight of a service, or of a consumer, at which fetching waits. */
  readonly recordsInFlightMax?: number;
  /** The longest wait of a handled record for its commit, in ms; a rebalance or a stop commits at once. */
  readonly commitEveryMs?: number;
  /** Distance of a partition's newest record from its oldest one in flight at which the partition is paused. */
  readonly commitDistanceMax?: number;
  /** Attempts at delivering an event. */
  readonly retry?: Retry;
  /** Called for each record without the signature of a permitted sender; for a metric. */
  readonly onUnverified?: () => void;
}

/** A server of requests or a subscription of this process. */
interface RunningConsumer {
  readonly group: string;
  readonly lagMs: number;
  readonly health: ConsumerHealth;
  stop(): Promise<void>;
}

const defaults = {
  prefix: 'postroom',
  sendsRequests: true,
  recordsInFlightMax: 1_024,
  commitEveryMs: 500,
  commitDistanceMax: 100_000,
  retry: defaultRetry,
  security: undefined,
  onUnverified: () => undefined,
} as const;

/** Less than Prometheus waits for all metrics. */
const countWithinMs = 3_000;

/** The bus between processes, on Kafka. */
export class KafkaBus implements Bus {
  readonly replyTo: string;
  readonly replyBodyMax = byReferenceOverBytes;
  private readonly options: Required<KafkaBusOptions>;
  private readonly topics: ReadonlySet<string>;
  private readonly kafka: Kafka;
  private readonly requests: RequestClient | undefined;
  private readonly publisher: Publisher;
  private readonly consumers = new Map<string, RunningConsumer>();
  /** Consumers and services whose dead letters are those of this process. */
  private readonly parking = new Set<string>();
  /** Connected when dead letters are counted. */
  private admin: Admin | undefined;
  private closed = false;

  private constructor(options: KafkaBusOptions) {
    const declared = options.declared ?? declaredTopics(options);
    this.options = { ...defaults, declared, ...options };
    this.replyTo = replyTopic(options.instance, this.options.prefix);
    this.topics = new Set(declared.map(({ name }) => name));
    this.kafka = kafkaClient(this.options);
    if (this.options.sendsRequests) this.requests = new RequestClient(this.context());
    this.publisher = new Publisher(this.kafka, this.options.prefix, this.options.signatures);
  }

  /**
   * Starts to connect, and waits for brokers that cannot be reached yet; `health` says when the bus is
   * ready. Requests before that wait, up to their deadline.
   */
  static connect(options: KafkaBusOptions): Promise<KafkaBus> {
    if (!/^[\w.-]{1,150}$/.test(options.instance)) {
      return Promise.reject(new Error(`not a name for an instance: ${options.instance}`));
    }
    return Promise.resolve(new KafkaBus(options));
  }

  async request(
    service: ServiceName,
    request: RequestEnvelope,
    options: RequestOptions = {},
  ): Promise<ReplyEnvelope> {
    if (this.closed) throw new BusUnavailable('closed');
    this.checkDeclared(requestTopic(service, this.options.prefix));
    if (!this.requests) throw new Error('this bus was made to send no requests');
    return this.requests.request(service, request, options);
  }

  async handle(
    service: ServiceName,
    handler: RequestHandler,
    sign?: SignReply,
  ): Promise<Unsubscribe> {
    if (this.closed) throw new BusUnavailable('closed');
    const name = requestTopic(service, this.options.prefix);
    if (this.consumers.has(name)) throw new Error(`${service} is served already`);
    this.checkDeclared(name);
    this.parking.add(service);
    return this.register(name, new RequestServer({ ...this.context(), service, handler, sign }));
  }

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    if (this.closed) throw new BusUnavailable('closed');
    for (const event of events)
      this.checkDeclared(outgoingTopic(groupOf(event), this.options.prefix));
    return this.publisher.emit(events);
  }

  async subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    if (this.closed) throw new BusUnavailable('closed');
    const { prefix } = this.options;
    const name = deadLetterTopic(consumer, prefix);
    if (this.consumers.has(name)) throw new Error(`${consumer} is subscribed already`);
    this.checkDeclared(name);
    for (const group of groups) this.checkDeclared(outgoingTopic(group, prefix));
    this.parking.add(consumer);
    return this.register(name, new Subscription({ ...this.context(), consumer, groups, handler }));
  }

  /** The health of all consumers together, the one of the reply topic included. */
  health(): BusHealth {
    const all = [...this.consumers.values(), ...(this.requests ? [this.requests] : [])];
    const states = all.map(({ health }) => health);
    const problem = states.find(({ ready }) => !ready)?.problem;
    return {
      ready: states.every(({ ready }) => ready),
      alive: states.every(({ alive }) => alive),
      ...(problem !== undefined && { problem }),
    };
  }

  /** The age of the oldest record that is not handled yet, for each consumer group of this process. */
  lags(): { readonly labels: { readonly group: string }; readonly value: number }[] {
    return [...this.consumers.values()].map(({ group, lagMs }) => ({
      labels: { group },
      value: lagMs / 1_000,
    }));
  }

  /** Counts what the consumers of this process could not handle and was not replayed; none while no broker answers. */
  async deadLetters(): Promise<
    { readonly labels: { readonly consumer: string }; readonly value: number }[]
  > {
    const { prefix } = this.options;
    const admin = (this.admin ??= this.kafka.admin());
    const counted = async (consumer: string) => ({
      labels: { consumer },
      value: await countDeadLetters(admin, consumer, prefix),
    });
    const counting = admin.connect().then(() => Promise.all([...this.parking].map(counted)));
    return withTimeout(counting, countWithinMs, () => []);
  }

  /** Waits for this process's own requests first: a service of this process may have to answer them. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.requests?.drained();
    const stopping = [...this.consumers.values()].map((consumer) => consumer.stop());
    const clients = [this.requests?.close(), this.publisher.close(), this.admin?.disconnect()];
    await Promise.all([...clients, ...stopping]);
    this.consumers.clear();
  }

  private context() {
    return { ...this.options, client: this.options, kafka: this.kafka };
  }

  private register(name: string, consumer: RunningConsumer): Unsubscribe {
    this.consumers.set(name, consumer);
    return async () => {
      if (this.consumers.get(name) !== consumer) return;
      await consumer.stop();
      this.consumers.delete(name);
    };
  }

  private checkDeclared(topic: string): void {
    if (!this.topics.has(topic)) throw new UndeclaredTopic(topic);
  }
}
