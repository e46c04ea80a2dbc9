import type { Kafka } from 'kafkajs';
import { TopicWriter, type OutgoingRecord } from './topic-writer.js';
import { KeyedMutex, withTimeout } from '@postroom/concurrency';
import type { ServiceName } from '@postroom/contracts';
import { UnverifiedRecord, type BusLog, type RequestHandler, type SignReply } from '../bus.js';
import { replyTopic, requestTopic } from '../topics.js';
import {
  type BusRecord,
  checkSize,
  decodeRequest,
  encodeReply,
  MalformedEnvelope,
  RecordTooLarge,
} from '../bus-record.js';
import { refusal, type ReplyEnvelope, type RequestEnvelope } from '../envelope.js';
import type { ClientOptions } from './client.js';
import { GroupMember, type ConsumedRecord, type ConsumerLimits } from './group-member.js';
import { DeadLetters } from './dead-letters.js';
import { readRecord } from './record.js';

export interface RequestServerOptions extends ConsumerLimits {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly service: ServiceName;
  readonly handler: RequestHandler;
  readonly sign: SignReply | undefined;
  /** Called for each request without the signature of a permitted caller. */
  readonly onUnverified: () => void;
}

/**
 * Far more than processes send at a time: how many of them run, and whose, is decided where it is known who has signed
 * them (the engine of `operations`).
 */
const recordsInFlightMax = 8_192;

/** Serves the requests of one service. */
export class RequestServer {
  private readonly member: GroupMember;
  private readonly writes = new KeyedMutex();
  private readonly replies: ReplyWriters;
  private readonly deadLetters: DeadLetters;

  constructor(private readonly options: RequestServerOptions) {
    const { kafka, log, prefix, service } = options;
    this.replies = new ReplyWriters(kafka);
    this.deadLetters = new DeadLetters({ kafka, log, prefix, consumer: service });
    this.member = new GroupMember({
      ...options,
      recordsInFlightMax,
      group: `${prefix}.${service}.requests`,
      topics: [requestTopic(service, prefix)],
      consume: (record) => this.serve(record),
    });
  }

  get health() {
    return this.member.health;
  }

  get group(): string {
    return this.member.group;
  }

  get lagMs(): number {
    return this.member.lagMs;
  }

  async stop(): Promise<void> {
    this.deadLetters.stopSoon();
    await this.member.stop();
    await Promise.all([this.replies.close(), this.deadLetters.close()]);
  }

  /** Resolves when the reply is stored, or its deadline has passed. */
  private async serve(consumed: ConsumedRecord): Promise<void> {
    let request: RequestEnvelope;
    let replyTo: string;
    try {
      request = decodeRequest(readRecord(consumed));
      replyTo = this.topicOf(request);
    } catch (error) {
      return this.deadLetters.store(consumed, error);
    }
    const reply = await this.writes.runInOrder(request.orderKey, () =>
      this.answer(request, consumed),
    );
    if (reply) await this.send(reply, replyTo, request);
  }

  private topicOf({ replyTo }: RequestEnvelope): string {
    if (replyTo?.startsWith(replyTopic('', this.options.prefix))) return replyTo;
    throw new MalformedEnvelope('request without a reply topic of the bus');
  }

  /**
   * Undefined when the deadline passed while the request waited, whose caller has had an answer, and for a request that no
   * allowed caller has signed: a signed refusal could be passed off as the answer to another caller's request.
   */
  private async answer(
    request: RequestEnvelope,
    consumed: ConsumedRecord,
  ): Promise<BusRecord | undefined> {
    if (Date.now() >= request.deadlineMs) return undefined;
    try {
      return checkSize(this.signed(request, await this.options.handler(request)));
    } catch (err) {
      await this.failed(request, consumed, err);
      if (err instanceof UnverifiedRecord) return undefined;
      return this.signed(request, refusal(request, 'INTERNAL'));
    }
  }

  private async failed(
    { operation, requestId }: RequestEnvelope,
    consumed: ConsumedRecord,
    err: unknown,
  ): Promise<void> {
    const { log, service, onUnverified } = this.options;
    if (err instanceof UnverifiedRecord) {
      onUnverified();
      return this.deadLetters.store(consumed, err);
    }
    const what = err instanceof RecordTooLarge ? 'the reply is too large' : 'the handler failed';
    log.error({ err, service, operation, requestId }, `bus: ${what}`);
  }

  private signed(request: RequestEnvelope, reply: ReplyEnvelope): BusRecord {
    const { sign } = this.options;
    return encodeReply(sign ? { ...reply, signature: sign(request, reply) } : reply);
  }

  private async send(reply: BusRecord, replyTo: string, request: RequestEnvelope): Promise<void> {
    const { id, deadlineMs } = request;
    const writing = this.replies.write(replyTo, { key: null, ...reply }, deadlineMs).catch(
      // The deadline is near or past: the caller gets a timeout, and may retry.
      (err: unknown) =>
        this.options.log.debug({ err, id, replyTo }, 'bus: reply could not be written'),
    );
    await withTimeout(writing, deadlineMs - Date.now(), () => undefined);
  }
}

/** After that the caller may be gone, and its topic with it. */
const idleMsMax = 60_000;

interface OpenWriter {
  readonly writer: TopicWriter;
  usedAtMs: number;
}

/** A writer for each reply topic that was written lately. */
class ReplyWriters {
  private readonly open = new Map<string, OpenWriter>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly kafka: Kafka) {
    this.timer = setInterval(() => this.closeIdle(), idleMsMax / 2).unref();
  }

  /** Resolves when the reply is stored, rejects when it could not be stored before the deadline. */
  write(topic: string, reply: OutgoingRecord, deadlineMs: number): Promise<void> {
    let open = this.open.get(topic);
    if (!open) {
      open = { writer: new TopicWriter({ kafka: this.kafka, topic }), usedAtMs: 0 };
      this.open.set(topic, open);
    }
    open.usedAtMs = Date.now();
    return open.writer.write(reply, deadlineMs);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.open.values()].map(({ writer }) => writer.close()));
    this.open.clear();
  }

  private closeIdle(): void {
    for (const [topic, { writer, usedAtMs }] of this.open) {
      if (Date.now() - usedAtMs < idleMsMax) continue;
      this.open.delete(topic);
      void writer.close().catch(() => undefined);
    }
  }
}
