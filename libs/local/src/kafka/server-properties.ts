import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { securedProperties, type Secured } from './secured.js';

/** A broker of several that are one cluster; each is a controller too. */
export interface ClusterNode {
  /** The same for all of them, as `formatStorage` takes it. */
  readonly clusterId: string;
  /** From 1. */
  readonly id: number;
  /** The ports of all controllers, by node. */
  readonly controllerPorts: readonly number[];
}

/** The settings that differ from broker to broker. */
export interface BrokerPlace {
  /** Holds `data/`, `server.properties` and `broker.log`. */
  readonly dataDir: string;
  /** The port for clients. */
  readonly port: number;
  /** The port of the broker's own controller. */
  readonly controllerPort: number;
  /** The port of a secured broker for others of its cluster. */
  readonly internalPort: number;
  /** Present if clients speak TLS and sign in. */
  readonly secured?: Secured | undefined;
  /** Absent where it is alone. */
  readonly node?: ClusterNode | undefined;
}

/** 16 random bytes in base64url; its tools take one that begins with a hyphen for an option. */
export const newClusterId = (): string => randomBytes(16).toString('base64url').replace(/^-/, 'A');

/** The broker's storage folder. */
export const storageIn = (dataDir: string): string => join(dataDir, 'data');

/** A KRaft node with small caches that restarts quickly. */
export function serverProperties({ dataDir, secured, node, ...ports }: BrokerPlace): string {
  const { id, controllerPorts } = node ?? { id: 1, controllerPorts: [ports.controllerPort] };
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': controllerPorts
      .map((port, i) => `${i + 1}@127.0.0.1:${port}`)
      .join(','),
    'controller.listener.names': 'CONTROLLER',
    ...(secured ? securedProperties(secured, ports) : plainListeners(ports)),
    'log.dirs': escaped(storageIn(dataDir)),
    // A missing topic is a mistake that must not go unnoticed.
    'auto.create.topics.enable': false,
    ...replicasOfEverything(controllerPorts.length),
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

const plainListeners = ({
  port,
  controllerPort,
}: Pick<BrokerPlace, 'port' | 'controllerPort'>) => ({
  listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  'inter.broker.listener.name': 'PLAINTEXT',
});

const mebibyte = 1024 * 1024;

/** Every acknowledged record is on all brokers but one, so that one may be lost. */
function replicasOfEverything(brokers: number): Readonly<Record<string, number>> {
  const inSync = Math.max(1, brokers - 1);
  return {
    'num.partitions': 1,
    'default.replication.factor': brokers,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': brokers,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': brokers,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': brokers,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

/** Backslashes are escapes in a properties file, and not every reader takes non-ASCII text as UTF-8. */
const escaped = (path: string): string =>
  path
    .replaceAll('\\', '\\\\')
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
