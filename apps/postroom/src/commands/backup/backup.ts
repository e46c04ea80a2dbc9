import { SetupError } from '@postroom/service/setup-error';
import { Client } from 'pg';
import { findAdministrator } from '../../database.js';
import { loadPostroomConfig } from '../../load-config.js';
import { requireUnbound } from '../workspace-data/tenant-tables.js';
import { findKeyring } from '../../installation.js';
import { UsageError, type Command, type CommandLine } from '../run-command.js';
import { restoreBackup, takeBackup } from './restore-backup.js';

/** Writes the database to files. */
export const backup: Command = {
  words: ['backup'],
  needs: ['DATABASE_URL', 'SECRETS_KEYS'],
  usage: `postroom backup --to FOLDER
    Writes the database, as it is at one moment, into a new folder, while the services run. It needs
    DATABASE_URL of a superuser, or of a user with BYPASSRLS, and SECRETS_KEYS, which sign the manifest. Of
    them the ids are kept: store the keys, and AUDIT_KEY, elsewhere. manifest.json comes last; a backup without
    it was cut off.`,
  run: (line) =>
    withDatabase(line, 'to', async ({ client, folder, keyring }) => {
      const { files, takenAt } = await takeBackup(client, folder, keyring);
      return [`${rowsOf(files)} rows of ${files.length} tables, as they were at ${takenAt}.`];
    }),
};

/** Fills a new database with them. */
export const restore: Command = {
  words: ['restore'],
  needs: ['DATABASE_URL', 'SECRETS_KEYS'],
  usage: `postroom restore --from FOLDER
    Fills a database that "prepare" of the same version has made, before the services start. It refuses
    a backup that is damaged, was changed or is of another version, and a database that has workspaces. It needs
    DATABASE_URL of a superuser, and the SECRETS_KEYS of the backup.`,
  run: (line) =>
    withDatabase(line, 'from', async ({ client, folder, keyring }) => {
      const { files, takenAt } = await restoreBackup(client, folder, keyring);
      return [`${rowsOf(files)} rows of ${files.length} tables are as they were at ${takenAt}.`];
    }),
};

const rowsOf = (files: readonly { readonly rows: number }[]): number =>
  files.reduce((sum, { rows }) => sum + rows, 0);

interface BackupContext {
  readonly client: Client;
  readonly folder: string;
  readonly keyring: string;
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
  if (keyring === null) throw new SetupError('SECRETS_KEYS is needed: they sign the manifest.');
  const client = new Client({ connectionString: await findAdministrator(config) });
  await client.connect();
  try {
    await requireUnbound(client);
    return await work({ client, folder, keyring });
  } finally {
    await client.end();
  }
}
