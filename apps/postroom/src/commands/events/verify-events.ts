import { storingServiceNames, type ServiceName } from '@postroom/contracts';
import { connectAccess, workspaceId } from '@postroom/gateway';
import { Database } from '@postroom/persistence';
import { findAccess, findDatabase } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { UsageError, type Command } from '../run-command.js';
import { compareEvents, type OutgoingEvent } from './compare-events.js';
import { dispatchedEvents, outgoingEvents } from './read-events.js';

const consumer = 'webhooks' satisfies ServiceName;
/** An event that was emitted a moment ago may be on its way: the feed is read again after this. */
const marginMs = 5_000;

/** Proves that a workspace's events have reached the feed and its subscriptions. */
export const verifyEvents: Command = {
  words: ['events', 'verify'],
  usage: `postroom events verify --name WORKSPACE --since TIME
    Compares the outboxes, the feed, the deliveries and the sequences of a workspace since a time of the
    last 7 days (2026-01-31T12:00:00Z). Prints each event that did not reach the feed or a subscription
    that asks for it, with the reason, one JSON object a line, and last of all the counts.`,
  async run({ rest, options, env }) {
    const { name = '', since: given = '' } = options;
    const since = new Date(given);
    if (rest.length > 0 || name === '' || Number.isNaN(since.getTime())) throw new UsageError();
    const config = loadPostroomConfig(env);
    const tenantId = await tenantOf((await findAccess(config)).databaseUrl, name);
    const outgoing: OutgoingEvent[] = [];
    for (const service of storingServiceNames) {
      const found = await withDatabase(await findDatabase(config, service), service, (database) =>
        outgoingEvents(database, tenantId, since),
      );
      outgoing.push(...found.map((event) => ({ ...event, service })));
    }
    const dispatched = await withDatabase(
      await findDatabase(config, consumer),
      consumer,
      async (database) => {
        const known = await dispatchedEvents(database, tenantId, since);
        const inFeed = new Set(known.recorded.map(({ id }) => id));
        const isWhole = outgoing.every(({ id }) => inFeed.has(id));
        if (isWhole) return known;
        await new Promise((resolve) => setTimeout(resolve, marginMs));
        return dispatchedEvents(database, tenantId, since);
      },
    );
    const { findings, counts } = compareEvents({ outgoing, ...dispatched });
    return [...findings, counts].map((line) => JSON.stringify(line));
  },
};

async function tenantOf(url: string, name: string): Promise<string> {
  const database = await connectAccess(url);
  try {
    const id = await workspaceId(database, name);
    if (id === null) throw new SetupError(`There is no workspace "${name}".`);
    return id;
  } finally {
    await database.close();
  }
}

async function withDatabase<T>(
  url: string,
  schema: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const statementTimeoutMs = 600_000;
  const database = await Database.connect({ url, schema, entities: [], statementTimeoutMs });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
