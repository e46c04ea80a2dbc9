import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { Kafka, logLevel } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { connectionOf, type KafkaPlace } from './security.js';
import { patchKafkajs } from './tuning/kafkajs-patches.js';

export interface ClientOptions extends KafkaPlace {
  /** The client id of this process. */
  readonly instance: string;
  readonly log: BusLog;
}

/** For calls to brokers that nobody wants to read about. */
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
        // What brokers answer; what kafkajs makes of it often hides the reason.
        if (level === logLevel.ERROR && namespace === 'Connection')
          onFailure?.(String(error ?? message));
        log.debug({ kafkajs: namespace, cause: String(error ?? '') }, message);
      },
  });
}

/** What kafkajs passes for a connection; its own type omits that `ssl` may be null. */
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
