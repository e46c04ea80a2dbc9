import { join } from 'node:path';
import {
  createTopics,
  declaredTopics,
  type KafkaConnection,
  type KafkaSecurity,
  type TopicAtRisk,
  topicsAtRisk,
} from '@postroom/bus';
import { kafkaSecurity, KafkaSecurityConfig, loadConfig } from '@postroom/service';
import type { ClusterConfig } from './config.js';
import { readJson } from './installation.js';
import { loadClusterConfig } from './load-config.js';
import { busUser } from '@postroom/contracts';
import { SetupError } from '@postroom/service/setup-error';

/** The brokers of a command's deployment, and the first part of its topics' names. */
interface KafkaTarget {
  readonly connection: KafkaConnection;
  readonly prefix: string;
}

/** @throws SetupError when there are none */
export async function findKafka(env: NodeJS.ProcessEnv): Promise<KafkaTarget> {
  const config = loadClusterConfig(env);
  const { kafkaPrefix: prefix } = config;
  const brokers = await findBrokers(config);
  const security = await securityOf(loadConfig(KafkaSecurityConfig, env), prefix);
  return { connection: { brokers, security }, prefix };
}

/**
 * The brokers of a command's deployment: the configured ones, otherwise the running cluster's.
 * @throws SetupError when there are none
 */
async function findBrokers(config: ClusterConfig): Promise<readonly string[]> {
  const brokers = await knownBrokers(config);
  if (brokers) return brokers;
  throw new SetupError(
    `No cluster has been started on the data folder "${config.dataDir}". Start one first ` +
      '(npm run start:cluster), or name its brokers with KAFKA_BROKERS.',
  );
}

const knownBrokers = async (config: ClusterConfig): Promise<readonly string[] | undefined> =>
  config.kafkaBrokers ??
  (await readJson<{ brokers: readonly string[] }>(clusterFile(config)))?.brokers;

/** True if the services of a deployment are processes that speak over brokers. */
export const hasBrokers = async (config: ClusterConfig): Promise<boolean> =>
  (await knownBrokers(config)) !== undefined;

/** The file in which a cluster's launcher says where its brokers are. */
export const clusterFile = ({ dataDir }: ClusterConfig): string => join(dataDir, 'cluster.json');

/** The security of this app's connections to the brokers, which it prepares and runs commands on. */
export const securityOf = (config: KafkaSecurityConfig, prefix: string): Promise<KafkaSecurity> =>
  kafkaSecurity(config, busUser('postroom', prefix));

/**
 * Creates the missing topics of the product.
 * @throws SetupError when the brokers cannot be used, or would lose records with one of three of them
 */
export async function makeTopics(connection: KafkaConnection, prefix: string): Promise<void> {
  try {
    const declared = declaredTopics({ prefix });
    await createTopics(connection, declared);
    const [first, ...further] = await topicsAtRisk(connection, declared);
    if (first) throw new SetupError(atRisk([first, ...further]));
  } catch (cause) {
    if (cause instanceof SetupError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SetupError(
      `Kafka at ${connection.brokers.join(', ')} cannot be used (KAFKA_BROKERS): ${reason}`,
      { cause },
    );
  }
}

/** The fault of topics that a lost broker takes with it, and the remedy, for an operator. */
export const atRisk = (topics: readonly TopicAtRisk[]): string =>
  `${topics
    .map(
      ({ topic, replicas, minInsyncReplicas }) =>
        `${topic} (replicas ${replicas}, min.insync.replicas ${minInsyncReplicas})`,
    )
    .join(', ')}: of three brokers or more, one that is lost takes records with it. ` +
  'Give each 3 replicas (kafka-reassign-partitions) and min.insync.replicas=2 (kafka-configs).';
