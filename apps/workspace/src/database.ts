import { join } from 'node:path';
import { accessSchema } from '@postroom/gateway';
import { mailSchema } from '@postroom/mail';
import { provision } from '@postroom/persistence/provision';
import { startPostgres } from '@postroom/persistence/server';
import type { Lifecycle, Log } from '@postroom/service';
import type { WorkspaceConfig } from './config.js';
import { readJson, writeSecretFile, type Installation } from './installation.js';

/** By schema, the URL its service connects with. */
export type DatabaseUrls = Readonly<Record<'access' | 'mail', string>>;

const schemas = [accessSchema, mailSchema];

/** Gets a PostgreSQL, stopped with the lifecycle when it is our own, and prepares it. */
export async function openDatabase(
  config: WorkspaceConfig,
  { databasePasswords }: Installation,
  log: Log,
  lifecycle: Lifecycle,
): Promise<DatabaseUrls> {
  const postgres = await startPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    ...(config.databaseUrl !== null && { databaseUrl: config.databaseUrl }),
    log: (line) => {
      log.info(line);
    },
  });
  lifecycle.onStop('postgres', () => postgres.stop(), 30_000);
  await writeSecretFile(runningFile(config), { adminUrl: postgres.adminUrl });
  return provision(postgres.adminUrl, schemas, { passwords: databasePasswords });
}

/** The database of an installation that runs at this moment, for a command beside it. */
export async function findDatabase(
  config: WorkspaceConfig,
  { databasePasswords }: Installation,
): Promise<DatabaseUrls> {
  const running = await readJson<{ adminUrl: string }>(runningFile(config));
  const adminUrl = config.databaseUrl ?? running?.adminUrl;
  if (adminUrl === undefined) {
    throw new Error('No database: start Postroom first (npm start), or set DATABASE_URL.');
  }
  return provision(adminUrl, schemas, { passwords: databasePasswords });
}

const runningFile = ({ dataDir }: WorkspaceConfig): string => join(dataDir, 'database.json');
