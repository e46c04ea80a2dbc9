import { Kafka, logLevel } from 'kafkajs';
import type { BusLog } from '../bus.js';
import { quietTimers } from './quiet-timers.js';

export interface ClientOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Name of this process at the brokers. */
  readonly instance: string;
  readonly log: BusLog;
}

/**
 * Short pauses and many of them: kafkajs then notices within a third of a second that a broker is
 * back, and gives up after some 12 s. Its defaults wait up to 30 s, long after every deadline.
 */
export const retry = { initialRetryTime: 100, maxRetryTime: 300, retries: 40 };

export function kafkaClient({ brokers, instance, log }: ClientOptions): Kafka {
  quietTimers();
  return new Kafka({
    clientId: instance,
    brokers: [...brokers],
    connectionTimeout: 1_000,
    requestTimeout: 10_000,
    retry,
    logLevel: logLevel.WARN,
    // Every attempt of every connection is an error to kafkajs; what matters is said by the bus.
    logCreator:
      () =>
      ({ namespace, log: { message, error } }) => {
        log.debug({ kafkajs: namespace, cause: String(error ?? '') }, message);
      },
  });
}
