import { provision } from '@postroom/persistence/provision';
import type { PrepareConfig } from './config.js';
import { schemas } from './database.js';
import { makeTopics } from './topics.js';

/**
 * Prepares a deployment's database and broker for its services: roles, schemas, pending migrations,
 * topics. It is idempotent; a service never does this at its start.
 */
export async function prepare(config: PrepareConfig): Promise<void> {
  await provision(config.databaseUrl, schemas, { passwords: config.passwords });
  await makeTopics(config.kafkaBrokers, config.kafkaPrefix);
}
