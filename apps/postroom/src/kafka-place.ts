import type { KafkaPlace } from '@postroom/bus';
import { KafkaSecurityConfig, loadConfig } from '@postroom/service';
import { findBrokers } from './cluster/index.js';
import { securityOf } from './kafka-security.js';
import { loadClusterConfig } from './load-config.js';

/** The brokers of a command's deployment, and the first part of its topics' names. */
export interface FoundKafka {
  readonly place: KafkaPlace;
  readonly prefix: string;
}

/** @throws StartError when there are none */
export async function findKafka(env: NodeJS.ProcessEnv): Promise<FoundKafka> {
  const config = loadClusterConfig(env);
  const { kafkaPrefix: prefix } = config;
  const brokers = await findBrokers(config);
  const security = await securityOf(loadConfig(KafkaSecurityConfig, env), prefix);
  return { place: { brokers, security }, prefix };
}
