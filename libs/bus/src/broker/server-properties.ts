import { join } from 'node:path';

/** The settings that differ from broker to broker. */
export interface BrokerPlace {
  /** Holds `data/`, `server.properties` and `broker.log`. */
  readonly dataDir: string;
  /** Where clients connect. */
  readonly port: number;
  /** Where the broker's own controller listens. */
  readonly controllerPort: number;
}

/** The broker's storage folder. */
export const storageIn = (dataDir: string): string => join(dataDir, 'data');

/** One KRaft node with small caches that restarts quickly. */
export function serverProperties({ dataDir, port, controllerPort }: BrokerPlace): string {
  const client = `PLAINTEXT://127.0.0.1:${port}`;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `${client},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': client,
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': escaped(storageIn(dataDir)),
    // A missing topic is a mistake that must not go unnoticed.
    'auto.create.topics.enable': false,
    ...oneReplicaOfEverything,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'log.retention.hours': 24,
    'log.segment.bytes': 64 * mebibyte,
    'log.cleaner.dedupe.buffer.size': 16 * mebibyte,
    'num.network.threads': 2,
    'num.io.threads': 4,
    // After kill -9 the controller waits until the old registration expires: 2 s instead of 9.
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 2000,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const mebibyte = 1024 * 1024;

const oneReplicaOfEverything = {
  'num.partitions': 1,
  'default.replication.factor': 1,
  'min.insync.replicas': 1,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 8,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 4,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
};

/** Backslashes are escapes in a properties file, and not every reader takes non-ASCII text as UTF-8. */
const escaped = (path: string): string =>
  path
    .replaceAll('\\', '\\\\')
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
