import { FairQueue, KeyedMutex, withTimeout } from '@postroom/concurrency';
import { replyTopic, requestTopic, type ServiceName } from '@postroom/contracts';
import type { Kafka } from 'kafkajs';
import { RecordTooLarge, type BusLog, type RequestHandler } from '../bus.js';
import {
  decodeRequest,
  encodeReply,
  MalformedEnvelope,
  refusal,
  type BusRecord,
  type RequestEnvelope,
} from '../envelope.js';
import { checkSize } from '../record-size.js';
import type { ClientOptions } from './client.js';
import { Consumption, type Arrival, type Bounds } from './consumption.js';
import { DeadLetters } from './dead-letters.js';
import { readRecord } from './record.js';
import { ReplyWriters } from './reply-writers.js';

/** Header of a request: the topic of the instance that waits for the reply. */
export const replyToHeader = 'reply-to';

export interface ServedOptions extends Bounds {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly service: ServiceName;
  readonly handler: RequestHandler;
  /** Handlers that run at a time. */
  readonly handlersMax: number;
}

/** A service that this instance serves. */
export class RequestServer {
  private readonly consumption: Consumption;
  private readonly writes = new KeyedMutex();
  private readonly handlers: FairQueue;
  private readonly replies: ReplyWriters;
  private readonly deadLetters: DeadLetters;

  constructor(private readonly options: ServedOptions) {
    const { kafka, log, prefix, service, handlersMax } = options;
    this.handlers = new FairQueue({ capacity: handlersMax });
    this.replies = new ReplyWriters(kafka);
    this.deadLetters = new DeadLetters({ kafka, log, prefix, consumer: service });
    this.consumption = new Consumption({
      ...options,
      group: `${prefix}.${service}.requests`,
      topics: [requestTopic(service, prefix)],
      consume: (arrival) => this.serve(arrival),
    });
  }

  get life() {
    return this.consumption.life;
  }

  async stop(): Promise<void> {
    this.deadLetters.giveUpSoon();
    await this.consumption.stop();
    await Promise.all([this.replies.close(), this.deadLetters.close()]);
  }

  /** A request is done when its reply is stored, or when nobody waits for it any more. */
  private async serve(arrival: Arrival): Promise<void> {
    let request: RequestEnvelope;
    let replyTo: string;
    try {
      const record = readRecord(arrival);
      request = decodeRequest(record);
      replyTo = this.replyToOf(record);
    } catch (error) {
      return this.deadLetters.park(arrival, error);
    }
    const reply = await this.writes.run(request.orderKey, () =>
      this.handlers.run(() => this.answer(request)),
    );
    if (reply) await this.send(reply, replyTo, request);
  }

  private replyToOf({ headers }: BusRecord): string {
    const topic = headers[replyToHeader];
    if (!topic?.startsWith(replyTopic('', this.options.prefix))) {
      throw new MalformedEnvelope('request without a reply topic of the bus');
    }
    return topic;
  }

  /** None when the deadline passed before its turn came: its caller has had an answer. */
  private async answer(request: RequestEnvelope): Promise<BusRecord | undefined> {
    if (Date.now() >= request.deadlineMs) return undefined;
    const { log, service, handler } = this.options;
    const { operation, requestId } = request;
    try {
      return checkSize(encodeReply(await handler(request)));
    } catch (err) {
      const what = err instanceof RecordTooLarge ? 'reply too large' : 'handler failed';
      log.error({ err, service, operation, requestId }, `bus: ${what}`);
      return encodeReply(refusal(request, 'INTERNAL'));
    }
  }

  private async send(reply: BusRecord, replyTo: string, request: RequestEnvelope): Promise<void> {
    const { id, deadlineMs } = request;
    const writing = this.replies.write(replyTo, { key: null, ...reply }, deadlineMs).catch(
      // Its deadline is near or past: the caller answers for itself, and asks again if it wants to.
      (err: unknown) => this.options.log.debug({ err, id, replyTo }, 'bus: reply not written'),
    );
    await withTimeout(writing, deadlineMs - Date.now(), () => undefined);
  }
}
