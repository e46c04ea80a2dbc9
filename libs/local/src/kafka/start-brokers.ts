import { join } from 'node:path';
import { freePorts } from '../free-port.js';
import { newClusterId } from './server-properties.js';
import { startBroker, type BrokerOptions, type RunningBroker } from './start-broker.js';
import { untilInSync } from './until-ready.js';

/** Several brokers that are one cluster. */
export interface RunningBrokers {
  /** `host:port` of each, separated by commas, for KAFKA_BROKERS. */
  readonly brokers: string;
  readonly nodes: readonly RunningBroker[];
  /** Waits until every copy of every topic is up to date: until then no further broker may be lost. */
  inSync(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a cluster of brokers on this machine, each a controller too, with topics on all of them.
 * Unlike with one broker, losing one loses nothing and stops nothing.
 * @throws SetupError as `startBroker`
 */
export async function startBrokers(
  count: number,
  { dataDir, ...options }: Omit<BrokerOptions, 'port' | 'node' | 'secured'>,
): Promise<RunningBrokers> {
  const clusterId = newClusterId();
  const nextPort = freePorts();
  const controllerPorts = await Promise.all(Array.from({ length: count }, nextPort));
  // None is ready before most of them are.
  const nodes = await Promise.all(
    controllerPorts.map((_, i) => {
      const node = { clusterId, id: i + 1, controllerPorts };
      return startBroker({ ...options, dataDir: join(dataDir, `broker-${node.id}`), node });
    }),
  );
  const brokers = nodes.map((node) => node.brokers);
  return {
    brokers: brokers.join(','),
    nodes,
    inSync: () => untilInSync({ brokers }),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
