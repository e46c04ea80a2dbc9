import { InFlight } from '@postroom/concurrency';
import { type ServiceName } from '@postroom/contracts';
import { requestTopic } from '../topics.js';
import type { Kafka } from 'kafkajs';
import { type BusLog, BusUnavailable, type RequestOptions } from '../bus.js';
import { beforeDeadline } from '../deadline.js';
import { type BusRecord, checkSize, decodeReply, encodeRequest } from '../bus-record.js';
import type { ReplyEnvelope, RequestEnvelope } from '../envelope.js';
import type { ClientOptions } from './client.js';
import type { ConsumedRecord } from './group-member.js';
import { readRecord } from './record.js';
import { ReplyTopic } from './reply-topic.js';
import { TopicWriter } from './topic-writer.js';

export interface RequestClientOptions {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly instance: string;
  /** Called for each reply whose signature is not that of the service that was asked. */
  readonly onUnverified: () => void;
}

interface Waiting {
  readonly isSigned: (reply: ReplyEnvelope) => boolean;
  readonly answer: (reply: ReplyEnvelope) => void;
  readonly fail: (cause: Error) => void;
  /** Kept here until it is sent, so that it is freed when the caller gives up. */
  readonly record: BusRecord;
  readonly orderKey: string | null;
  readonly deadlineMs: number;
}

/** Sends requests and matches the replies of this instance's reply topic to them. */
export class RequestClient {
  private readonly waiting = new Map<string, Waiting>();
  private readonly inFlight = new InFlight();
  private readonly writers = new Map<ServiceName, TopicWriter>();
  private readonly replies: ReplyTopic;

  constructor(private readonly options: RequestClientOptions) {
    this.replies = new ReplyTopic({ ...options, onReply: (record) => this.receive(record) });
  }

  get health() {
    return this.replies.health;
  }

  async request(
    service: ServiceName,
    request: RequestEnvelope,
    { isSigned = () => true }: RequestOptions,
  ): Promise<ReplyEnvelope> {
    const { id, orderKey, deadlineMs } = request;
    if (this.waiting.has(id)) throw new Error(`request ${id} is in flight already`);
    const record = checkSize(encodeRequest({ ...request, replyTo: this.replies.name }));
    const reply = new Promise<ReplyEnvelope>((answer, fail) => {
      this.waiting.set(id, { isSigned, answer, fail, record, orderKey, deadlineMs });
    });
    void this.send(service, id);
    return this.inFlight.track(() =>
      beforeDeadline(reply, deadlineMs).finally(() => this.waiting.delete(id)),
    );
  }

  /** Resolves when no request is in flight; each ends at its deadline. */
  drained(): Promise<void> {
    return this.inFlight.none();
  }

  async close(): Promise<void> {
    const writers = [...this.writers.values()].map((writer) => writer.close());
    await Promise.all([this.replies.close(), ...writers]);
  }

  private async send(service: ServiceName, id: string): Promise<void> {
    try {
      await this.replies.created;
      const waiting = this.waiting.get(id);
      if (!waiting) return;
      const { record, orderKey, deadlineMs } = waiting;
      await this.writerOf(service).write({ key: orderKey, ...record }, deadlineMs);
    } catch (cause) {
      const isKnown = cause instanceof BusUnavailable;
      this.waiting.get(id)?.fail(isKnown ? cause : new BusUnavailable('no-broker', { cause }));
    }
  }

  private writerOf(service: ServiceName): TopicWriter {
    const known = this.writers.get(service);
    if (known) return known;
    const { kafka, prefix } = this.options;
    const writer = new TopicWriter({ kafka, topic: requestTopic(service, prefix) });
    this.writers.set(service, writer);
    return writer;
  }

  /**
   * Ignores a reply that no caller waits for: its deadline passed, or it is the second one. And one that the
   * service has not signed: any program that can write to the topic can make one up before the service answers.
   */
  private receive(record: ConsumedRecord): void {
    const { log, onUnverified } = this.options;
    try {
      const reply = decodeReply(readRecord(record));
      const waiting = this.waiting.get(reply.id);
      if (!waiting) return;
      if (waiting.isSigned(reply)) return waiting.answer(reply);
      onUnverified();
      log.warn({ id: reply.id }, 'bus: ignored a reply that the service has not signed');
    } catch (err) {
      log.warn({ err }, 'bus: a reply could not be decoded');
    }
  }
}
