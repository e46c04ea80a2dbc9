import { setTimeout as sleep } from 'node:timers/promises';
import type { BusLog } from '../bus.js';
import { beforeDeadline } from '../deadline.js';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { Kafka, type KafkaConfig, logLevel, type SASLOptions } from 'kafkajs';
import { patchKafkajs } from './tuning/kafkajs-patches.js';

export interface ClientOptions extends KafkaConnection {
  /** The client id of this process. */
  readonly instance: string;
  readonly log: BusLog;
}

/** A log that discards everything. */
export const silent: BusLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface ConnectionRetry {
  /** Attempts before kafkajs gives up. */
  readonly retries: number;
  /** Called at each attempt to connect: a sign of life when no broker can be reached. */
  readonly onConnecting?: () => void;
  /** Called with what kafkajs says of a failure that it may go on to retry. */
  readonly onFailure?: (failure: string) => void;
}

/** Some 12 s: by then the caller of a write has an answer, or has given up. */
const writing: ConnectionRetry = { retries: 40 };

/**
 * About a minute: a consumer that is restarted is a new member of its group, which assigns it no
 * partition before the old member's session has ended.
 */
export const consuming = { retries: 200 } as const;

/**
 * A client with short pauses between its attempts, so that it reconnects within a third of a second
 * after a broker is back; kafkajs's defaults wait for up to 30 s.
 */
export function kafkaClient(
  { instance, log, ...place }: ClientOptions,
  { retries, onConnecting, onFailure }: ConnectionRetry = writing,
): Kafka {
  patchKafkajs();
  return new Kafka({
    clientId: instance,
    ...connectionOf(place),
    connectionTimeout: 1_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 300, retries },
    socketFactory: socketFactory(onConnecting),
    logLevel: logLevel.WARN,
    // kafkajs logs every failed attempt as an error; the bus logs what matters.
    logCreator:
      () =>
      ({ namespace, level, log: { message, error } }) => {
        // The brokers' own answer: kafkajs often hides the reason.
        if (level === logLevel.ERROR && namespace === 'Connection')
          onFailure?.(String(error ?? message));
        log.debug({ kafkajs: namespace, cause: String(error ?? '') }, message);
      },
  });
}

/** The arguments that kafkajs passes for a connection; its own type omits that `ssl` may be null. */
interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly ssl: ConnectionOptions | null;
  readonly onConnect: () => void;
}

const socketFactory =
  (onConnecting: () => void = () => undefined) =>
  ({ host, port, ssl, onConnect }: SocketTarget): Socket => {
    onConnecting();
    const socket = ssl
      ? connectTls({ host, port, ...serverName(host), ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect);
    return socket.setNoDelay().setKeepAlive(true, 60_000);
  };

/** TLS has no names for addresses (RFC 6066, section 3); the certificate is checked for either. */
const serverName = (host: string): ConnectionOptions =>
  isIP(host) === 0 ? { servername: host } : {};

/** The same as options of kafkajs. */
function connectionOf({
  brokers,
  security,
}: KafkaConnection): Pick<KafkaConfig, 'brokers' | 'ssl' | 'sasl'> {
  const { tls = null, sasl = null } = security ?? {};
  return {
    brokers: [...brokers],
    ...(tls && { ssl: tls }),
    // kafkajs has a type for each mechanism.
    ...(sasl && { sasl: sasl as SASLOptions }),
  };
}

/** TLS and sign-in of a connection to the brokers; certificates and keys are PEM texts. */
export interface KafkaSecurity {
  /** Null for plain TCP. */
  readonly tls: {
    /** The authorities that are trusted, instead of the system's. */
    readonly ca?: string;
    /** The certificate of this client and its key, where brokers ask for one. */
    readonly cert?: string;
    readonly key?: string;
  } | null;
  /** Null where clients do not sign in. */
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

/** The addresses of the brokers, and how to connect to them. */
export interface KafkaConnection {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Plain TCP without a sign-in unless given. */
  readonly security?: KafkaSecurity | undefined;
}

const retryAfterMs = 100;

/** A change was accepted and is not visible yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly retriable = true;
}

/**
 * Repeats work until it succeeds or fails permanently. While a broker has just started, or a topic was
 * just created, its leader or coordinator refuses requests; kafkajs does not retry some of these.
 * @throws the work's error, when it is permanent or when the time is up
 * @throws BusUnavailable `deadline` when the work does not end
 */
export async function retriable<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    try {
      return await beforeDeadline(work(), endMs);
    } catch (err) {
      if (!isTransient(err) || Date.now() + retryAfterMs >= endMs) throw err;
      await sleep(retryAfterMs);
      // The failure is a better error than the time-out.
      if (Date.now() >= endMs) throw err;
    }
  }
}

/** A failure is transient if it may end by itself. kafkajs throws a TypeError when it reads metadata that it has not received. */
export const isTransient = (err: unknown): boolean =>
  err instanceof TypeError ||
  (err instanceof Error &&
    'retriable' in err &&
    (err.retriable === true ||
      (err.name === 'KafkaJSNonRetriableError' && isTransient(err.cause))));
