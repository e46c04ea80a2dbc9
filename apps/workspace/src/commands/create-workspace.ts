import { isEmail } from '@postroom/contracts';
import { connectAccess, invitationUrl, openWorkspace } from '@postroom/gateway';
import type { Database } from '@postroom/persistence';
import { type WorkspaceConfig } from '../config.js';
import { loadWorkspaceConfig } from '../load-config.js';
import { findAccess } from '../database.js';
import { StartError } from '../start-error.js';
import { UsageError, type Command } from './command.js';

const nameMax = 80;

/** Creates a workspace and prints its first administrator's invitation link. */
export const createWorkspace: Command = {
  words: ['workspace', 'create'],
  usage: `postroom workspace create --name NAME --admin ADDRESS [--admin-name NAME] [--time-zone ZONE]
    Makes a workspace and prints a one-time link for its first administrator, valid 7 days.
    Its days are those of the time zone, Europe/Paris for example; of UTC unless one is named.
    For a workspace that is there already it prints a new link for that administrator.
    Postroom has to be running (npm start).`,
  async run({ rest, options, env }) {
    const {
      name = '',
      admin = '',
      'admin-name': adminName,
      'time-zone': timeZone = 'UTC',
    } = options;
    const isName = name.trim() !== '' && name.length <= nameMax;
    if (rest.length > 0 || !isName || !isEmail(admin) || !isTimeZone(timeZone)) {
      throw new UsageError();
    }
    const config = loadWorkspaceConfig(env);
    const { databaseUrl, publicUrl } = await findAccess(config);
    const database = await connect(config, databaseUrl);
    try {
      const workspace = {
        name: name.trim(),
        timeZone,
        adminEmail: admin,
        adminName: adminName || admin,
      };
      const token = await openWorkspace(database, workspace);
      return [invitationUrl(publicUrl, token)];
    } finally {
      await database.close();
    }
  },
};

/** A name, not an offset: `+02:00` is west of Greenwich to PostgreSQL, and east to everyone else. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

async function connect(config: WorkspaceConfig, url: string): Promise<Database> {
  try {
    return await connectAccess(url);
  } catch (cause) {
    const reason = `The database of "${config.dataDir}" does not answer. Is Postroom running?`;
    throw new StartError(reason, { cause });
  }
}
