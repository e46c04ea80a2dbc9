/** Where what carries requests is to be found. */
export interface Place {
  /** Kafka, `host:port`. */
  readonly brokers: string;
  /** The NATS server; null where there is none. */
  readonly nats: string | null;
  /** Where the service listens, for carriers that need no broker; none before it does. */
  readonly address: string | null;
}

/** Answers a request; the bytes are neither read nor changed by the carrier. */
export type Answer = (request: Buffer) => Promise<Buffer>;

/** The service's end of a carrier. */
export interface Serving {
  /** Where callers find it, if they have to be told. */
  readonly address: string | null;
  close(): Promise<void>;
}

/** The caller's end of a carrier. */
export interface Calling {
  /** Rejects when no reply came within some seconds. */
  ask(request: Buffer): Promise<Buffer>;
  close(): Promise<void>;
}

/** One way to carry requests to another process, and the replies back. */
export interface Carrier {
  serve(place: Place, answer: Answer): Promise<Serving>;
  call(place: Place): Promise<Calling>;
}

/** What is waited for a reply. */
export const replyTimeoutMs = 10_000;
