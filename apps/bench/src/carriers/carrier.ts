/** The addresses of what carries requests. */
export interface CarrierAddress {
  /** Kafka, `host:port`. */
  readonly brokers: string;
  /** Address of the service, for carriers without a broker; null until it listens. */
  readonly address: string | null;
}

/** Handles a request; the carrier neither reads nor changes its bytes. */
export type Answer = (request: Buffer) => Promise<Buffer>;

/** The service's end of a carrier. */
export interface Serving {
  /** Its address, where callers need it. */
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
  serve(place: CarrierAddress, answer: Answer): Promise<Serving>;
  call(place: CarrierAddress): Promise<Calling>;
}

/** The time limit of a reply. */
export const replyTimeoutMs = 10_000;
