import type { OutgoingGroup, OutgoingType, ServiceName } from '@postroom/contracts';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/** Answers requests of a service. It never rejects: a failure is a reply too. */
export type RequestHandler = (request: RequestEnvelope) => Promise<ReplyEnvelope>;

/** Ends a subscription after what is in flight has been answered. */
export type Unsubscribe = () => Promise<void>;

/** A committed event or notice on its way out: what an outbox row holds. */
export interface EventRecord {
  /** Event id, unique; a redelivery carries the same one. */
  readonly id: string;
  /** Decides the topic: its group. */
  readonly type: OutgoingType;
  readonly tenantId: string;
  /** Id of the resource; with the tenant the record's key, hence its order. */
  readonly resource: string;
  /** JSON text of the EventEnvelope, or of what a notice says, as the outbox has it. */
  readonly envelope: string;
}

/** What became of emitted events. */
export interface Emitted {
  /** Ids of those that are stored. */
  readonly stored: readonly string[];
  /** Why the others are not, null when there are none: the outbox keeps them. */
  readonly failure: BusUnavailable | null;
}

/** Handles one event; rejecting has it delivered again (back-off, bounded), then parked with its cause. */
export type EventHandler = (event: EventRecord) => Promise<void>;

/**
 * The port between processes. A request reaches one instance of the service and is delivered at
 * least once; the service makes that one effect. Adapters carry envelopes and know no operation.
 */
export interface Bus {
  /**
   * Sends a request and waits for its reply.
   * @throws BusUnavailable when no reply came by the request's deadline, or none can come.
   * @throws UndeclaredTopic
   * @throws RecordTooLarge
   */
  request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope>;
  /** Serves a service's requests: many at a time, those that share an order key one by one. */
  handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe>;
  /**
   * Publishes events, and answers once each is stored or has failed. Those of a resource and group
   * are stored in the order given: none after one that is not.
   * @throws UnknownEventType for a type outside the list; nothing is published then.
   * @throws RecordTooLarge; nothing is published then.
   * @throws BusUnavailable when closed.
   */
  emit(events: readonly EventRecord[]): Promise<Emitted>;
  /**
   * Consumes groups of events or notices under a consumer's name: at least once, in order per tenant
   * and resource. Replicas of the consumer share the work; each consumer sees every event.
   */
  subscribe(
    consumer: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe>;
  /** Refuses all that is new, waits for the requests in flight. */
  close(): Promise<void>;
}

/** The reply did not come: nobody serves, too much is in flight, or the deadline passed. */
export class BusUnavailable extends Error {
  override readonly name = 'BusUnavailable';

  constructor(
    readonly reason: 'no-service' | 'overloaded' | 'deadline' | 'closed' | 'no-broker' | 'no-body',
    options?: ErrorOptions,
  ) {
    super(`no reply: ${reason}`, options);
  }
}

/** An event whose type is not in the list of the specification. */
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

/** What probes ask of a bus. */
export interface BusHealth {
  /** It is in its groups and knows its positions: what is sent is received. */
  readonly ready: boolean;
  /** No consumer has stopped consuming. */
  readonly alive: boolean;
}

/** A record that no broker takes; what is larger travels by reference. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';

  constructor(readonly bytes: number) {
    super(`a record of ${bytes} bytes; the bus carries ${recordBytesMax}`);
  }
}

/** Bytes of a record, headers and key included: room for a body of 1 MiB and who asks with it. */
export const recordBytesMax = 1.5 * 1024 * 1024;

/** What adapters say of their own life; a pino logger is one. */
export interface BusLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
