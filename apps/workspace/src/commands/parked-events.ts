import { storingServiceNames } from '@postroom/contracts';
import { listParked, releaseParked } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { loadWorkspaceConfig } from '../load-config.js';
import { findDatabase } from '../database.js';
import { StartError } from '../start-error.js';
import { UsageError, type Command, type CommandLine } from './command.js';

/** Lists the events of a service's outbox that the bus refused. */
export const listParkedEvents: Command = {
  words: ['parked-events', 'list'],
  usage: `postroom parked-events list SERVICE
    Prints the events that the bus has refused, one JSON object a line: the oldest thousand of the
    service (${storingServiceNames.join(' or ')}), with the cause.`,
  run: (line) =>
    withOutbox(line, async (database) =>
      (await listParked(database)).map((event) => JSON.stringify(event)),
    ),
};

/** Publishes them again. */
export const releaseParkedEvents: Command = {
  words: ['parked-events', 'release'],
  usage: `postroom parked-events release SERVICE
    Has the events that the bus has refused leave once more, and says how many they were. What it
    still refuses is parked again.`,
  run: (line) =>
    withOutbox(line, async (database) => [`${await releaseParked(database)} released.`]),
};

async function withOutbox<T>(
  { rest, env }: CommandLine,
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
