import { Client } from 'pg';
import { findAdministrator } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { requireUnbound } from '../workspace-data/tenant-tables.js';
import { findKeyring } from '../../installation.js';
import { UsageError, type Command, type CommandLine } from '../run-command.js';
import { keyIds } from './manifest.js';
import { restoreBackup, takeBackup } from './restore-backup.js';

/** Writes the database to files. */
export const backup: Command = {
  words: ['backup'],
  usage: `postroom backup --to FOLDER
    Writes the database, as it is at one moment, into a new folder, while the services run. It needs
    DATABASE_URL of a superuser, or of a user with BYPASSRLS. Of SECRETS_KEYS the ids are kept: store the
    keys, and AUDIT_KEY, elsewhere. manifest.json comes last; a backup without it was cut off.`,
  run: (line) =>
    withDatabase(line, 'to', async ({ client, folder, keys }) => {
      const { files, takenAt } = await takeBackup(client, folder, keys ?? []);
      return [`${rowsOf(files)} rows of ${files.length} tables, as they were at ${takenAt}.`];
    }),
};

/** Fills a new database with them. */
export const restore: Command = {
  words: ['restore'],
  usage: `postroom restore --from FOLDER
    Fills a database that "prepare" of the same version has made, before the services start. It refuses
    a backup that is damaged or of another version, and a database that has workspaces. It needs
    DATABASE_URL of a superuser.`,
  run: (line) =>
    withDatabase(line, 'from', async ({ client, folder, keys }) => {
      const { files, takenAt } = await restoreBackup(client, folder, keys);
      return [`${rowsOf(files)} rows of ${files.length} tables are as they were at ${takenAt}.`];
    }),
};

const rowsOf = (files: readonly { readonly rows: number }[]): number =>
  files.reduce((sum, { rows }) => sum + rows, 0);

interface BackupContext {
  readonly client: Client;
  readonly folder: string;
  /** Ids of the keyring, where it is known here. */
  readonly keys: readonly string[] | null;
}

async function withDatabase(
  { rest, options, env }: CommandLine,
  option: string,
  work: (context: BackupContext) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { [option]: folder = '' } = options;
  if (rest.length > 0 || folder === '') throw new UsageError();
  const config = loadPostroomConfig(env);
  const keyring = await findKeyring(config);
  const client = new Client({ connectionString: await findAdministrator(config) });
  await client.connect();
  try {
    await requireUnbound(client);
    return await work({ client, folder, keys: keyring === null ? null : keyIds(keyring) });
  } finally {
    await client.end();
  }
}
