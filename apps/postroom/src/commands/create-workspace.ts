import { domainName, isEmail, isTimeZone, newWorkspaceNameMax } from '@postroom/contracts';
import {
  connectAccess,
  invitationUrl,
  openWorkspace,
  sandboxLabel,
  type NewWorkspace,
} from '@postroom/gateway';
import type { Database } from '@postroom/persistence';
import { type PostroomConfig } from '../config.js';
import { loadPostroomConfig } from '../load-config.js';
import { findAccess } from '../database.js';
import { SetupError } from '@postroom/service/setup-error';
import { makeFirstResources } from './first-resources.js';
import { UsageError, type Command, type CommandLine } from './run-command.js';
import { giveDomains, requireFreeDomains } from './mail.js';

/** Creates a workspace and prints its first administrator's invitation link. */
export const createWorkspace: Command = {
  words: ['workspace', 'create'],
  usage: `postroom workspace create --name NAME --admin ADDRESS [--admin-name NAME] [--time-zone ZONE]
      [--domain DOMAIN,…]
    Makes a workspace, with an address book and a shared calendar, and prints a one-time link for its
    first administrator, valid 7 days.
    Its days are those of the time zone, Europe/Paris for example; of UTC unless one is named.
    The domains that are named are given to it, without a proof by DNS.
    For a workspace that is there already it prints a new link for that administrator.
    Postroom has to be running (npm start).`,
  run: ({ rest, options, env }) => create(wishesOf(rest, options), env),
};

/** Creates a workspace whose mail never leaves. */
export const createSandbox: Command = {
  words: ['sandbox', 'create'],
  usage: `postroom sandbox create --name NAME --admin ADDRESS [--admin-name NAME] [--time-zone ZONE]
      [--domain DOMAIN,…]
    Makes a workspace for tests of integrations, as workspace create does. Its mail never leaves, mail
    is put into it by POST /settings/api/sandbox/receive, and its clock is moved by
    POST /settings/api/sandbox/clock. It stays a sandbox, and no other workspace becomes one.
    Unless domains are named it is given NAME.sandbox.invalid, which the second line says.`,
  async run({ rest, options, env }) {
    const wishes = wishesOf(rest, options);
    const own = [`${sandboxLabel(wishes.workspace.name)}.sandbox.invalid`];
    const domains = wishes.domains.length > 0 ? wishes.domains : own;
    const workspace = { ...wishes.workspace, isSandbox: true };
    return [...(await create({ workspace, domains }, env)), ...domains];
  },
};

async function create({ workspace, domains }: Wishes, env: CommandLine['env']): Promise<string[]> {
  const config = loadPostroomConfig(env);
  const { databaseUrl, publicUrl } = await findAccess(config);
  await requireFreeDomains(config, workspace.name, domains);
  const database = await connect(config, databaseUrl);
  try {
    const token = await openWorkspace(database, workspace);
    await makeFirstResources(config, database, workspace);
    await giveDomains(config, workspace.name, domains);
    return [invitationUrl(publicUrl, token)];
  } finally {
    await database.close();
  }
}

interface Wishes {
  readonly workspace: NewWorkspace;
  readonly domains: readonly string[];
}

/** @throws UsageError */
function wishesOf(rest: CommandLine['rest'], options: CommandLine['options']): Wishes {
  const { name = '', admin = '', 'time-zone': timeZone = 'UTC', domain = '' } = options;
  const domains = domain.split(',').filter((one) => one !== '');
  const areSound = [
    rest.length === 0,
    name.trim() !== '' && name.length <= newWorkspaceNameMax,
    isEmail(admin),
    isTimeZone(timeZone),
    domains.every((one) => domainName(one) !== null),
  ];
  if (areSound.includes(false)) throw new UsageError();
  const adminName = options['admin-name'] || admin;
  return { workspace: { name: name.trim(), timeZone, adminEmail: admin, adminName }, domains };
}

async function connect(config: PostroomConfig, url: string): Promise<Database> {
  try {
    return await connectAccess(url);
  } catch (cause) {
    const reason = `The database of "${config.dataDir}" does not answer. Is Postroom running?`;
    throw new SetupError(reason, { cause });
  }
}
