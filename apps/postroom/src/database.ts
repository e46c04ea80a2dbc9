import { join } from 'node:path';
import type { SchemaName, StoringServiceName } from '@postroom/contracts';
import { blobsSchema } from '@postroom/persistence';
import { provision, serviceUrls, type ServiceSchema } from '@postroom/persistence/provision';
import { startPostgres } from '@postroom/local';
import type { Lifecycle, Log } from '@postroom/service';
import { publicUrlOf, type WorkspaceConfig } from './config.js';
import {
  openInstallation,
  readInstallation,
  readJson,
  writeSecretFile,
  type Installation,
} from './installation.js';
import { installed } from './services.js';
import { StartError } from './start-error.js';

/** A prepared database, and the installation it belongs to. */
export interface WorkspaceDatabase {
  readonly adminUrl: string;
  readonly installation: Installation;
  /** By schema, the URL its service connects with. */
  readonly urls: Readonly<Record<SchemaName, string>>;
}

/** All schemas of the product. */
export const schemas: readonly ServiceSchema<SchemaName>[] = [
  ...Object.values(installed).flatMap(({ schema }) => schema ?? []),
  blobsSchema,
];

/** By schema, the URL its service connects with. */
export const urlsOf = (
  adminUrl: string,
  { databasePasswords }: Installation,
): WorkspaceDatabase['urls'] =>
  serviceUrls(
    adminUrl,
    schemas.map(({ name }) => ({ name, password: databasePasswords[name] })),
  );

/** Finds or starts a PostgreSQL and prepares it. The lifecycle stops one that is our own. */
export async function openDatabase(
  config: WorkspaceConfig,
  log: Log,
  lifecycle: Lifecycle,
): Promise<WorkspaceDatabase> {
  const starting = startPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    ...(config.databaseUrl !== null && { databaseUrl: config.databaseUrl }),
    log: (line) => {
      log.info(line);
    },
    warn: (line) => {
      log.warn(line);
    },
  });
  // Registered before it has started, so that a stop during the start leaves no server behind.
  const stop = (): Promise<void> =>
    starting.then(
      (postgres) => postgres.stop(),
      () => undefined,
    );
  lifecycle.onStop('postgres', stop, 60_000);
  const { adminUrl } = await starting;
  // The lock of the data folder lets only one of two first starts make the secrets.
  const installation = await openInstallation(config.dataDir);
  await writeSecretFile(runningFile(config), { adminUrl, publicUrl: publicUrlOf(config) });
  const passwords = installation.databasePasswords;
  const place =
    config.databaseUrl === null
      ? `The data folder "${config.dataDir}" (POSTROOM_DATA_DIR)`
      : 'The database of DATABASE_URL';
  return { adminUrl, installation, urls: await provision(adminUrl, schemas, { passwords, place }) };
}

/** What a command needs of the running installation. */
export interface FoundAccess {
  /** Of the service `access`. */
  readonly databaseUrl: string;
  readonly publicUrl: string;
}

/**
 * The service `access` of the running installation, for a command.
 * @throws StartError when there is none
 */
export async function findAccess(config: WorkspaceConfig): Promise<FoundAccess> {
  if (config.databaseUrls.access !== null) {
    return { databaseUrl: config.databaseUrls.access, publicUrl: publicUrlOf(config) };
  }
  const { running } = await findRunning(config);
  return {
    databaseUrl: await findDatabase(config, 'access'),
    publicUrl: config.publicUrl ?? running.publicUrl,
  };
}

/**
 * The database URL of a service of the running installation, with the role of that service.
 * @throws StartError when there is none
 */
export async function findDatabase(
  config: WorkspaceConfig,
  name: StoringServiceName,
): Promise<string> {
  const given = config.databaseUrls[name];
  if (given !== null) return given;
  const { installation, running } = await findRunning(config);
  return urlsOf(running.adminUrl, installation)[name];
}

/**
 * The database URL of an administrator of the installation.
 * @throws StartError when there is none
 */
export const findAdministrator = async (config: WorkspaceConfig): Promise<string> =>
  config.databaseUrl ?? (await findRunning(config)).running.adminUrl;

/** The URLs that the running installation has written to its data folder. */
interface Whereabouts {
  readonly adminUrl: string;
  readonly publicUrl: string;
}

async function findRunning(
  config: WorkspaceConfig,
): Promise<{ readonly installation: Installation; readonly running: Whereabouts }> {
  const installation = await readInstallation(config.dataDir);
  const running = await readJson<Whereabouts>(runningFile(config));
  if (!installation || !running) {
    throw new StartError(
      `Nothing has been started on the data folder "${config.dataDir}". Start Postroom first ` +
        '(npm start), or name its data folder with POSTROOM_DATA_DIR.',
    );
  }
  return { installation, running };
}

const runningFile = ({ dataDir }: WorkspaceConfig): string => join(dataDir, 'database.json');
