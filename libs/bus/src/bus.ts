import type { OutgoingGroup, OutgoingType, ServiceName } from '@postroom/contracts';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/**
 * Answers requests of a service. A failure is a reply as well; it rejects with {@link UnverifiedRecord} for a
 * request without a valid signature of a permitted caller, which is refused, and dead-lettered between processes.
 */
export type RequestHandler = (request: RequestEnvelope) => Promise<ReplyEnvelope>;

/** The signature of a reply to the request, as the reply travels: a large body by its reference. */
export type SignReply = (request: RequestEnvelope, reply: ReplyEnvelope) => string;

/** Ends a subscription once the requests or events in flight have been handled. */
export type Unsubscribe = () => Promise<void>;

/** A committed event, or internal event, as the outbox holds it. */
export interface EventRecord {
  /** Unique event id; a redelivery carries the same one. */
  readonly id: string;
  /** Decides the group, and with it the topic. */
  readonly type: OutgoingType;
  readonly tenantId: string;
  /** Id of the resource; tenant and resource are the record's key, within which events are ordered. */
  readonly resource: string;
  /** JSON text of the EventEnvelope, or of an internal event's data, as the outbox has it. */
  readonly envelope: string;
  /** The service that publishes it: on receipt, the one that has signed it, or whose outbox it came from. */
  readonly publisher?: ServiceName;
  /** W3C trace context of the change that caused it. */
  readonly traceparent?: string | null;
}

/** The signatures of events, and of internal events, between processes. */
export interface RecordSignatures {
  /** Signs in the name of this process's service. */
  sign(content: string): string;
  /** The service that has signed the content; undefined when none has. */
  signerOf(content: string, signature: string): ServiceName | undefined;
}

/** The result of emitting events. */
export interface EmitResult {
  /** Ids of the events that are stored. */
  readonly stored: readonly string[];
  /** Why the others are not stored; null when all are. They stay in the outbox. */
  readonly failure: BusUnavailable | null;
}

/**
 * Handles one event. When it rejects, the event is delivered again with a bounded back-off, and
 * dead-lettered with the cause after the last attempt, or at once for an {@link UnverifiedRecord}.
 */
export type EventHandler = (event: EventRecord) => Promise<void>;

export interface RequestOptions {
  /**
   * A success that is too large for the envelope stays in the blob store, and the reply has its
   * reference: for a caller that reads it from there piece by piece, and drops it.
   */
  readonly leavesLargeBody?: boolean;
  /**
   * True if a reply, as it travels, has the signature of the service that was asked. Between processes
   * one without it is ignored, because the real one may still come; without this function every reply is accepted.
   */
  readonly isSigned?: (reply: ReplyEnvelope) => boolean;
}

/**
 * The port between processes. A request reaches one instance of the service and is delivered at
 * least once; the service deduplicates it. Adapters carry envelopes and know no operation.
 */
export interface Bus {
  /** The address of replies to this process, which the signature covers; null if they do not leave the process. */
  readonly replyTo: string | null;
  /** Bytes of a reply's body that its envelope carries; a larger one is to go by reference. */
  readonly replyBodyMax: number;
  /**
   * Sends a request and waits for its reply.
   * @throws BusUnavailable when no reply arrived by the request's deadline, or none can arrive.
   * @throws UndeclaredTopic
   * @throws RecordTooLarge
   */
  request(
    service: ServiceName,
    request: RequestEnvelope,
    options?: RequestOptions,
  ): Promise<ReplyEnvelope>;
  /**
   * Serves a service's requests: many concurrently, those that share an order key one by one.
   * @param sign signs every reply that leaves the process
   */
  handle(service: ServiceName, handler: RequestHandler, sign?: SignReply): Promise<Unsubscribe>;
  /**
   * Publishes events, and resolves once each is stored or has failed. Events of one resource and group
   * are stored in the order given; none is stored behind one that failed.
   * @throws UnknownEventType for a type outside the list; then nothing is published.
   * @throws RecordTooLarge; then nothing is published.
   * @throws BusUnavailable when closed.
   */
  emit(events: readonly EventRecord[]): Promise<EmitResult>;
  /**
   * Consumes groups of events or internal events under a consumer's name: at least once, in order per
   * tenant and resource. Replicas of a consumer share the work; each consumer sees every event.
   */
  subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe>;
  /** Refuses new work and waits for the requests in flight. */
  close(): Promise<void>;
}

/** There is no reply: no handler is registered, too much is in flight, or the deadline passed. */
export class BusUnavailable extends Error {
  override readonly name = 'BusUnavailable';

  constructor(
    readonly reason: 'no-service' | 'overloaded' | 'deadline' | 'closed' | 'no-broker' | 'no-body',
    options?: ErrorOptions,
  ) {
    super(`no reply: ${reason}`, options);
  }
}

/** The event's type is not in the list of the specification. */
export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';

  constructor(readonly type: string) {
    super(`no such event type: ${type}`);
  }
}

/** A topic that is not declared is neither written nor read. */
export class UndeclaredTopic extends Error {
  override readonly name = 'UndeclaredTopic';

  constructor(readonly topic: string) {
    super(`no such topic: ${topic}`);
  }
}

/**
 * A request or an event without a valid signature of a permitted sender. A handler of events throws it for what
 * the publisher may not say. It is dead-lettered at once: no further attempt can make it true.
 */
export class UnverifiedRecord extends Error {
  override readonly name = 'UnverifiedRecord';
}

/** The state of a bus, for readiness and liveness probes. */
export interface BusHealth {
  /** Every consumer has joined its group and knows its position, so that it receives what is sent. */
  readonly ready: boolean;
  /** No consumer has stopped consuming. */
  readonly alive: boolean;
  /** Why it is not ready, if the brokers said so: a missing right, a wrong password, a certificate. */
  readonly problem?: string;
}

/** The log of an adapter; a pino logger is one. */
export interface BusLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
