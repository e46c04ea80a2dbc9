import {
  deadLetterTopic,
  declaredTopics,
  outgoingTopic,
  requestTopic,
  type DeclaredTopic,
  type OutgoingGroup,
  type ServiceName,
} from '@postroom/contracts';
import type { Kafka } from 'kafkajs';
import {
  BusUnavailable,
  UndeclaredTopic,
  type Bus,
  type BusHealth,
  type BusLog,
  type Emitted,
  type EventHandler,
  type EventRecord,
  type RequestHandler,
  type Unsubscribe,
} from '../bus.js';
import { defaultRetry, type Retry } from '../delivery.js';
import { groupOf } from '../event-record.js';
import type { ReplyEnvelope, RequestEnvelope } from '../envelope.js';
import { RequestClient } from './request-client.js';
import { kafkaClient } from './client.js';
import type { ConsumerHealth } from './consumer-health.js';
import { Publisher } from './publisher.js';
import { RequestServer } from './request-server.js';
import { Subscription } from './subscription.js';

export interface KafkaBusOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Unique among the processes that run; letters, digits, `.`, `_` and `-`. */
  readonly instance: string;
  readonly log: BusLog;
  /** First part of every topic's and group's name. */
  readonly prefix?: string;
  /** What there is to write and read; the topics themselves are made by `createTopics`. */
  readonly declared?: readonly DeclaredTopic[];
  /**
   * Whether requests are sent from here (true). One that only serves needs no reply topic, and spares
   * itself and the brokers its consumer.
   */
  readonly sendsRequests?: boolean;
  /** Requests that wait for a reply here before new ones are refused. */
  readonly inFlightMax?: number;
  /** Handlers of a service, or of a consumer, that run here at a time. */
  readonly handlersMax?: number;
  /** Records of a service, or of a consumer, that are taken before fetching waits. */
  readonly underWayMax?: number;
  /** How long what is done may wait for its commit, in ms; a rebalance or a stop commits at once. */
  readonly commitEveryMs?: number;
  /** Records of a partition past its oldest one under way, at which no more of it are taken. */
  readonly commitDistanceMax?: number;
  /** How an event is delivered again. */
  readonly retry?: Retry;
}

/** What is served or consumed here. */
interface Part {
  readonly life: ConsumerHealth;
  stop(): Promise<void>;
}

const defaults = {
  prefix: 'postroom',
  sendsRequests: true,
  inFlightMax: 1_000,
  handlersMax: 128,
  underWayMax: 1_024,
  commitEveryMs: 500,
  commitDistanceMax: 100_000,
  retry: defaultRetry,
} as const;

/** The bus between processes, on Kafka. */
export class KafkaBus implements Bus {
  private readonly options: Required<KafkaBusOptions>;
  private readonly topics: ReadonlySet<string>;
  private readonly kafka: Kafka;
  private readonly calls: RequestClient | undefined;
  private readonly published: Publisher;
  private readonly parts = new Map<string, Part>();
  private closed = false;

  private constructor(options: KafkaBusOptions) {
    const declared = options.declared ?? declaredTopics(options);
    this.options = { ...defaults, declared, ...options };
    this.topics = new Set(declared.map(({ name }) => name));
    this.kafka = kafkaClient(this.options);
    if (this.options.sendsRequests) this.calls = new RequestClient(this.context());
    this.published = new Publisher(this.kafka, this.options.prefix);
  }

  /**
   * A bus that is joining: brokers that are not there yet are waited for, and `health` says when it
   * is ready. What is asked of it before waits, up to its deadline.
   */
  static connect(options: KafkaBusOptions): Promise<KafkaBus> {
    if (!/^[\w.-]{1,150}$/.test(options.instance)) {
      return Promise.reject(new Error(`not a name for an instance: ${options.instance}`));
    }
    return Promise.resolve(new KafkaBus(options));
  }

  async request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope> {
    if (this.closed) throw new BusUnavailable('closed');
    this.declared(requestTopic(service, this.options.prefix));
    if (!this.calls) throw new Error('this bus was made to send no requests');
    return this.calls.request(service, request);
  }

  async handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe> {
    if (this.closed) throw new BusUnavailable('closed');
    const name = requestTopic(service, this.options.prefix);
    if (this.parts.has(name)) throw new Error(`${service} is served already`);
    this.declared(name);
    return this.add(name, new RequestServer({ ...this.context(), service, handler }));
  }

  async emit(events: readonly EventRecord[]): Promise<Emitted> {
    if (this.closed) throw new BusUnavailable('closed');
    for (const event of events) this.declared(outgoingTopic(groupOf(event), this.options.prefix));
    return this.published.emit(events);
  }

  async subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    if (this.closed) throw new BusUnavailable('closed');
    const { prefix } = this.options;
    const name = deadLetterTopic(consumer, prefix);
    if (this.parts.has(name)) throw new Error(`${consumer} is subscribed already`);
    this.declared(name);
    for (const group of groups) this.declared(outgoingTopic(group, prefix));
    return this.add(name, new Subscription({ ...this.context(), consumer, groups, handler }));
  }

  /** Ready: in all its groups, every position known. Alive: no consumer has stopped consuming. */
  health(): BusHealth {
    const parts = [...this.parts.values(), ...(this.calls ? [this.calls] : [])];
    const lives = parts.map(({ life }) => life);
    return { ready: lives.every(({ ready }) => ready), alive: lives.every(({ alive }) => alive) };
  }

  /** Own requests first: what is served here may be what they wait for. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.calls?.answered();
    const parts = [...this.parts.values()].map((part) => part.stop());
    await Promise.all([this.calls?.close(), this.published.close(), ...parts]);
    this.parts.clear();
  }

  private context() {
    return { ...this.options, client: this.options, kafka: this.kafka };
  }

  private add(name: string, part: Part): Unsubscribe {
    this.parts.set(name, part);
    return async () => {
      if (this.parts.get(name) !== part) return;
      await part.stop();
      this.parts.delete(name);
    };
  }

  private declared(topic: string): void {
    if (!this.topics.has(topic)) throw new UndeclaredTopic(topic);
  }
}
