import { provision } from '@postroom/persistence/provision';
import type { PrepareConfig } from './config.js';
import { schemas } from './database.js';
import { makeTopics } from './topics.js';

/**
 * Makes a deployment's database and broker what its services expect: roles, schemas, pending
 * migrations, topics. It changes nothing that is already so; a service never does it at boot.
 */
export async function prepare(config: PrepareConfig): Promise<void> {
  await provision(config.databaseUrl, schemas, { passwords: config.passwords });
  await makeTopics(config.kafkaBrokers, config.kafkaPrefix);
}
