import { storingServiceNames } from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { findDatabase } from '../database.js';
import { loadWorkspaceConfig } from '../load-config.js';
import { StartError } from '../start-error.js';
import { UsageError, type CommandLine } from './command.js';

/**
 * Works on the outbox of the service that a command names.
 * @throws UsageError for another name
 * @throws StartError when the database does not answer
 */
export async function withOutbox<T>(
  { rest, env }: Pick<CommandLine, 'rest' | 'env'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const [named, ...more] = rest;
  const service = storingServiceNames.find((name) => name === named);
  if (!service || more.length > 0) throw new UsageError();
  const config = loadWorkspaceConfig(env);
  const url = await findDatabase(config, service);
  const database = await Database.connect({ url, schema: service, entities: [] }).catch(
    (cause: unknown) => {
      const reason = `The database of "${config.dataDir}" does not answer. Is Postroom running?`;
      throw new StartError(reason, { cause });
    },
  );
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
