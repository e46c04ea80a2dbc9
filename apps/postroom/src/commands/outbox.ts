import { storingServiceNames } from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { findDatabase } from '../database.js';
import { loadPostroomConfig } from '../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { type Command, type CommandLine, UsageError } from './run-command.js';
import { listParked, releaseParked, replayPublished } from '@postroom/operations';

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

/** A day less than consumers remember what they had (`purge_inbox`): none has an effect twice. */
const daysMax = 6;

/** Fills an emptied broker again from the databases. */
export const replayOutbox: Command = {
  words: ['outbox', 'replay'],
  usage: `postroom outbox replay [SERVICE] --since TIME
    Publishes once more what a service (${storingServiceNames.join(' or ')}; all of them
    when none is named) has published since a time of the last ${daysMax} days
    (2026-01-31T12:00:00Z), for a broker that has lost it, and says how many events these are. Who had
    an event does nothing again.`,
  async run({ rest, options, env }) {
    const { since: given = '' } = options;
    const since = new Date(given);
    const isRecent = Date.now() - since.getTime() <= daysMax * 86_400_000;
    if (rest.length > 1 || !isRecent) throw new UsageError();
    const lines: string[] = [];
    for (const service of rest.length > 0 ? rest : storingServiceNames) {
      const count = await withOutbox({ rest: [service], env }, (database) =>
        replayPublished(database, since),
      );
      lines.push(`${service}: ${count} events leave once more.`);
    }
    return lines;
  },
};

/**
 * Works on the outbox of the service that a command names.
 * @throws UsageError for another name
 * @throws SetupError when the database does not answer
 */
export async function withOutbox<T>(
  { rest, env }: Pick<CommandLine, 'rest' | 'env'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const [named, ...more] = rest;
  const service = storingServiceNames.find((name) => name === named);
  if (!service || more.length > 0) throw new UsageError();
  const config = loadPostroomConfig(env);
  const url = await findDatabase(config, service);
  const database = await Database.connect({ url, schema: service, entities: [] }).catch(
    (cause: unknown) => {
      const reason = `The database of "${config.dataDir}" does not answer. Is Postroom running?`;
      throw new SetupError(reason, { cause });
    },
  );
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
