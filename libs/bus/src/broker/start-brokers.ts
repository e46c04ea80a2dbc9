import type { Admin } from 'kafkajs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kafkaClient, silent } from '../kafka/client.js';
import { newClusterId } from './cluster-id.js';
import { freePort } from './free-port.js';
import { BrokerSetupError } from './setup-error.js';
import { startBroker, type BrokerOptions, type RunningBroker } from './start-broker.js';

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
 * @throws BrokerSetupError as `startBroker`
 */
export async function startBrokers(
  count: number,
  { dataDir, ...options }: Omit<BrokerOptions, 'port' | 'node' | 'secured'>,
): Promise<RunningBrokers> {
  const clusterId = newClusterId();
  const controllerPorts: number[] = [];
  while (controllerPorts.length < count) controllerPorts.push(await freePort());
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
    inSync: () => untilInSync(brokers, count),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

const inSyncWithinMs = 60_000;

/** @throws BrokerSetupError when a copy does not catch up */
async function untilInSync(brokers: readonly string[], count: number): Promise<void> {
  const admin = kafkaClient({ brokers, instance: 'in-sync', log: silent }).admin();
  const deadline = performance.now() + inSyncWithinMs;
  await admin.connect();
  try {
    while ((await brokersOf(admin)) < count || (await copiesBehind(admin)) > 0) {
      if (performance.now() > deadline) throw new BrokerSetupError('A broker does not catch up.');
      await sleep(200);
    }
  } finally {
    await admin.disconnect();
  }
}

const brokersOf = async (admin: Admin): Promise<number> =>
  (await admin.describeCluster()).brokers.length;

async function copiesBehind(admin: Admin): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata();
  return topics
    .flatMap(({ partitions }) => partitions)
    .filter(({ isr, replicas }) => isr.length < replicas.length).length;
}
