import { InFlight, KeyedMutex } from '@postroom/concurrency';
import type { OutgoingGroup, ServiceName } from '@postroom/contracts';
import {
  type Bus,
  BusUnavailable,
  type EmitResult,
  type EventHandler,
  type EventRecord,
  type RequestHandler,
  type Unsubscribe,
  UnverifiedRecord,
} from './bus.js';
import { beforeDeadline } from './deadline.js';
import {
  type BusRecord,
  checkSize,
  decodeReply,
  decodeRequest,
  encodeReply,
  encodeRequest,
  recordBytes,
  recordBytesMax,
} from './bus-record.js';
import { refusal, type ReplyEnvelope, type RequestEnvelope } from './envelope.js';
import { defaultRetry, type Retry } from './delivery.js';
import { InProcessEvents, type DeadLetter, type ExpectedConsumers } from './in-process-events.js';

/** A service whose handler is registered. */
interface RegisteredService {
  readonly answer: (record: BusRecord) => Promise<BusRecord>;
  readonly inFlight: InFlight;
}

export interface InProcessOptions {
  /** Attempts at delivering an event. */
  readonly retry?: Retry | undefined;
  /** Consumers that there will be: no event of theirs is stored while one of them is not subscribed. */
  readonly consumers?: ExpectedConsumers;
}

/**
 * The bus of a single process (`npm start`, tests). Every envelope is encoded to a record and
 * decoded again, as on Kafka, so that nothing works here that would not work there. Replies are not
 * signed: they do not leave the process.
 */
export class InProcessBus implements Bus {
  readonly replyTo = null;
  /** As much as a page of 2,000 contacts has: to store that and read it again took as long as to find it (ADR 57). */
  readonly replyBodyMax: number = 1.25 * 1024 * 1024;
  private readonly services = new Map<ServiceName, RegisteredService>();
  private readonly inFlightOfAll = new InFlight();
  private readonly writes = new KeyedMutex();
  private readonly events: InProcessEvents;
  private closed = false;

  constructor({ retry = defaultRetry, consumers = {} }: InProcessOptions = {}) {
    this.events = new InProcessEvents(retry, consumers);
  }

  /** Events that consumers could not handle, oldest first, kept as long as the process lives. */
  get deadLetters(): readonly DeadLetter[] {
    return this.events.deadLetters;
  }

  async request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope> {
    if (this.closed) throw new BusUnavailable('closed');
    const registered = this.services.get(service);
    if (!registered) throw new BusUnavailable('no-service');
    const record = copied(checkSize(encodeRequest(request)));
    const reply = this.answer(registered, record, request.orderKey);
    return decodeReply(copied(await beforeDeadline(reply, request.deadlineMs)));
  }

  handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe> {
    if (this.closed) return Promise.reject(new BusUnavailable('closed'));
    if (this.services.has(service)) {
      return Promise.reject(new Error(`${service} is served already`));
    }
    const answer: RegisteredService['answer'] = async (record) => {
      const request = decodeRequest(record);
      const reply = encodeReply(await handler(request).catch(refusedUnverified(request)));
      return recordBytes(reply) > recordBytesMax
        ? encodeReply(refusal(request, 'INTERNAL'))
        : reply;
    };
    const inFlight = new InFlight();
    this.services.set(service, { answer, inFlight });
    return Promise.resolve(async () => {
      this.services.delete(service);
      await inFlight.none();
    });
  }

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    if (this.closed) throw new BusUnavailable('closed');
    return this.events.emit(events);
  }

  subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    if (this.closed) return Promise.reject(new BusUnavailable('closed'));
    return this.events.subscribe(consumer, groups, handler);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.inFlightOfAll.none();
    await this.events.close();
  }

  /** Tracks a request as in flight until it is answered, also when its caller no longer waits. */
  private answer(
    { answer, inFlight }: RegisteredService,
    record: BusRecord,
    orderKey: string | null,
  ): Promise<BusRecord> {
    return this.inFlightOfAll.track(() =>
      inFlight.track(() => this.writes.runInOrder(orderKey, () => answer(record))),
    );
  }
}

const refusedUnverified =
  (request: RequestEnvelope) =>
  (error: unknown): ReplyEnvelope => {
    if (error instanceof UnverifiedRecord) return refusal(request, 'INTERNAL');
    throw error;
  };

/** A copy of the record, so that the sender cannot change its bytes any more. */
const copied = ({ headers, value }: BusRecord): BusRecord => ({
  headers,
  value: Buffer.from(value),
});
