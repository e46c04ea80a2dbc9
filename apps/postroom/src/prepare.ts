import { provision } from '@postroom/persistence/provision';
import type { PrepareConfig } from './config.js';
import { makeTopics, securityOf } from './kafka.js';
import { schemas } from './database.js';

/**
 * Prepares a deployment's database and broker for its services: roles, schemas, pending migrations,
 * topics. It is idempotent; a service never does this at its start.
 */
export async function prepare(config: PrepareConfig): Promise<void> {
  // Before anything is changed, since its files may be missing.
  const security = await securityOf(config, config.kafkaPrefix);
  const place = 'The database of DATABASE_URL';
  await provision(config.databaseUrl, schemas, { passwords: config.passwords, place });
  const { kafkaBrokers: brokers, kafkaPrefix: prefix } = config;
  await makeTopics({ brokers, security }, prefix);
}
