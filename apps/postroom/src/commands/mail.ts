import type { StoringServiceName } from '@postroom/contracts';
import { connectAccess, workspaceId } from '@postroom/gateway';
import { domainOwner, giveDomain, restoreMailbox as restore, takeDomainAway } from '@postroom/mail';
import { Database } from '@postroom/persistence';
import type { PostroomConfig } from '../config.js';
import { findAccess, findDatabase } from '../database.js';
import { loadPostroomConfig } from '../load-config.js';
import { SetupError } from '@postroom/service/setup-error';
import { UsageError, type Command } from './run-command.js';

/** Gives a domain to a workspace. */
export const addDomain: Command = {
  words: ['domain', 'add'],
  usage: `postroom domain add DOMAIN --workspace NAME
    Gives a workspace a domain without a proof by DNS: its mailboxes arrive and leave through the
    deployment's servers. A domain that another workspace has is to be removed from it first.`,
  async run({ rest, options, env }) {
    const [domain, ...more] = rest;
    const { workspace } = options;
    if (domain === undefined || more.length > 0 || workspace === undefined) throw new UsageError();
    const config = loadPostroomConfig(env);
    await giveDomains(config, workspace, [domain]);
    return [`${domain} belongs to ${workspace}.`];
  },
};

/** Takes a domain away from the workspace that has it. */
export const removeDomain: Command = {
  words: ['domain', 'remove'],
  usage: `postroom domain remove DOMAIN
    Takes a domain away from the workspace that has proved it or was given it. Its mailboxes stay, and
    neither take mail in nor leave through the deployment's servers any more.`,
  async run({ rest, env }) {
    const [domain, ...more] = rest;
    if (domain === undefined || more.length > 0) throw new UsageError();
    const config = loadPostroomConfig(env);
    await withMail(config, (database) => takeDomainAway(database, domain));
    return [`${domain} belongs to no workspace.`];
  },
};

/** @throws Error for what is no domain, or another workspace's */
export async function requireFreeDomains(
  config: PostroomConfig,
  workspace: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return;
  const id = await idOf(config, workspace);
  await withMail(config, async (database) => {
    for (const domain of domains) {
      const owner = await domainOwner(database, domain);
      if (owner !== null && owner !== id) {
        throw new SetupError(`The domain ${domain} belongs to another workspace.`);
      }
    }
  });
}

/** Gives domains to the workspace of that name. */
export async function giveDomains(
  config: PostroomConfig,
  workspace: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return;
  const id = await idOf(config, workspace);
  if (id === null) throw new SetupError(`There is no workspace "${workspace}".`);
  await withMail(config, async (database) => {
    for (const domain of domains) await giveDomain(database, id, domain);
  });
}

async function idOf(config: PostroomConfig, workspace: string): Promise<string | null> {
  const { databaseUrl } = await findAccess(config);
  return using(connectAccess(databaseUrl), config, (database) => workspaceId(database, workspace));
}

/** Runs something on the database of the mail service. */
async function withMail<T>(
  config: PostroomConfig,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const schema: StoringServiceName = 'mail';
  const url = await findDatabase(config, schema);
  return using(Database.connect({ url, schema, entities: [] }), config, work);
}

async function using<T>(
  connecting: Promise<Database>,
  { dataDir }: PostroomConfig,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await connecting.catch((cause: unknown) => {
    const reason = `The database of "${dataDir}" does not answer. Is Postroom running?`;
    throw new SetupError(reason, { cause });
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Brings a deleted mailbox back. */
export const restoreMailbox: Command = {
  words: ['mailbox', 'restore'],
  usage: `postroom mailbox restore ADDRESS
    Brings back a mailbox that was deleted less than 30 days ago, with all that was in it. Where two
    workspaces have deleted one of that address, its id says which.`,
  async run({ rest, env }) {
    const [named, ...more] = rest;
    if (named === undefined || more.length > 0) throw new UsageError();
    await withMail(loadPostroomConfig(env), (database) => restore(database, named));
    return [`${named} is back.`];
  },
};
