import type { ServiceName } from '@postroom/contracts';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';

/** Answers requests of a service. It never rejects: a failure is a reply too. */
export type RequestHandler = (request: RequestEnvelope) => Promise<ReplyEnvelope>;

/** Ends a subscription after what is in flight has been answered. */
export type Unsubscribe = () => Promise<void>;

/**
 * The port between processes. A request reaches one instance of the service and is delivered at
 * least once; the service makes that one effect. Adapters carry envelopes and know no operation.
 */
export interface Bus {
  /**
   * Sends a request and waits for its reply.
   * @throws BusUnavailable when no reply came by the request's deadline, or none can come.
   */
  request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope>;
  /** Serves a service's requests. */
  handle(service: ServiceName, handler: RequestHandler): Promise<Unsubscribe>;
  /** Refuses new requests, waits for those in flight. */
  close(): Promise<void>;
}

/** The reply did not come: nobody serves, too much is in flight, or the deadline passed. */
export class BusUnavailable extends Error {
  override readonly name = 'BusUnavailable';

  constructor(readonly reason: 'no-service' | 'overloaded' | 'deadline' | 'closed') {
    super(`no reply: ${reason}`);
  }
}
