import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { Kafka, logLevel } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { correctKafkajs } from './kafkajs-patches.js';

export interface ClientOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Name of this process at the brokers. */
  readonly instance: string;
  readonly log: BusLog;
}

/** For whoever asks brokers before anyone listens. */
export const silent: BusLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface Persistence {
  /** Attempts before kafkajs gives up. */
  readonly retries: number;
  /** Called at each attempt to connect: a sign of life when no broker gives one. */
  readonly onConnecting?: () => void;
}

/** Some 12 s: whoever waits for a write has an answer by then, or has given up. */
const writing: Persistence = { retries: 40 };

/**
 * Some minute: a consumer that is given up and started over is a new member of its group, which
 * waits for the old one's session to end before it hands out a partition.
 */
export const consuming = { retries: 200 } as const;

/**
 * A client with short pauses between its attempts, so that it notices within a third of a second
 * that a broker is back; kafkajs's defaults wait for up to 30 s.
 */
export function kafkaClient(
  { brokers, instance, log }: ClientOptions,
  { retries, onConnecting }: Persistence = writing,
): Kafka {
  correctKafkajs();
  return new Kafka({
    clientId: instance,
    brokers: [...brokers],
    connectionTimeout: 1_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 300, retries },
    socketFactory: socketFactory(onConnecting),
    logLevel: logLevel.WARN,
    // Every attempt of every connection is an error to kafkajs; what matters is said by the bus.
    logCreator:
      () =>
      ({ namespace, log: { message, error } }) => {
        log.debug({ kafkajs: namespace, cause: String(error ?? '') }, message);
      },
  });
}

/** What kafkajs says of a connection; its own type leaves out that most have no TLS. */
interface Wanted {
  readonly host: string;
  readonly port: number;
  readonly ssl: ConnectionOptions | null;
  readonly onConnect: () => void;
}

const socketFactory =
  (onConnecting: () => void = () => undefined) =>
  ({ host, port, ssl, onConnect }: Wanted): Socket => {
    onConnecting();
    const socket = ssl
      ? connectTls({ host, port, servername: host, ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect);
    return socket.setNoDelay().setKeepAlive(true, 60_000);
  };
