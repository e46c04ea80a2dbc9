import { join } from 'node:path';
import type { SchemaName, StoringServiceName } from '@postroom/contracts';
import { blobsSchema, Database } from '@postroom/persistence';
import { provision, serviceUrls, type ServiceSchema } from '@postroom/persistence/provision';
import { startPostgres } from '@postroom/local';
import { SetupError } from '@postroom/service/setup-error';
import type { Lifecycle, Log } from '@postroom/service';
import { publicUrlOf, type PostroomConfig } from './config.js';
import {
  openInstallation,
  readInstallation,
  readJson,
  writeSecretFile,
  type Installation,
} from './installation.js';
import { installed } from './services.js';
import { connectAccess, openWorkspace, workspaceId, type NewWorkspace } from '@postroom/gateway';
import { giveDomain } from '@postroom/mail';

/** A prepared database, and the installation it belongs to. */
export interface PreparedDatabase {
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
): PreparedDatabase['urls'] =>
  serviceUrls(
    adminUrl,
    schemas.map(({ name }) => ({ name, password: databasePasswords[name] })),
  );

/** Finds or starts a PostgreSQL and prepares it. The lifecycle stops one that is our own. */
export async function openDatabase(
  config: PostroomConfig,
  log: Log,
  lifecycle: Lifecycle,
): Promise<PreparedDatabase> {
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

/** The part of the running installation that a command needs. */
export interface AccessUrls {
  /** URL of the service `access`. */
  readonly databaseUrl: string;
  readonly publicUrl: string;
}

/**
 * The service `access` of the running installation, for a command.
 * @throws SetupError when there is none
 */
export async function findAccess(config: PostroomConfig): Promise<AccessUrls> {
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
 * @throws SetupError when there is none
 */
export async function findDatabase(
  config: PostroomConfig,
  name: StoringServiceName,
): Promise<string> {
  const given = config.databaseUrls[name];
  if (given !== null) return given;
  const { installation, running } = await findRunning(config);
  return urlsOf(running.adminUrl, installation)[name];
}

/**
 * The database URL of an administrator of the installation.
 * @throws SetupError when there is none
 */
export const findAdministrator = async (config: PostroomConfig): Promise<string> =>
  config.databaseUrl ?? (await findRunning(config)).running.adminUrl;

/** The URLs that the running installation has written to its data folder. */
interface RunningUrls {
  readonly adminUrl: string;
  readonly publicUrl: string;
}

async function findRunning(
  config: PostroomConfig,
): Promise<{ readonly installation: Installation; readonly running: RunningUrls }> {
  const installation = await readInstallation(config.dataDir);
  const running = await readJson<RunningUrls>(runningFile(config));
  if (!installation || !running) {
    throw new SetupError(
      `Nothing has been started on the data folder "${config.dataDir}". Start Postroom first ` +
        '(npm start), or name its data folder with POSTROOM_DATA_DIR.',
    );
  }
  return { installation, running };
}

const runningFile = ({ dataDir }: PostroomConfig): string => join(dataDir, 'database.json');

/** The operations of the service `access` that a launcher needs. */
export interface Access {
  /** The token of the one-time link of a workspace's first administrator. */
  openWorkspace(workspace: NewWorkspace): Promise<string>;
  /** The id of the workspace of that name; null when there is none. */
  workspaceId(name: string): Promise<string | null>;
  /** Gives a workspace a domain, without a proof. */
  giveDomain(tenantId: string, domain: string): Promise<void>;
}

/** A connection to schema `access` of the installation's own, closed with the lifecycle. */
export async function openAccess(
  urls: Readonly<Record<SchemaName, string>>,
  lifecycle: Lifecycle,
): Promise<Access> {
  const database = await connectAccess(urls.access);
  lifecycle.onStop('database', () => database.close());
  return {
    openWorkspace: (workspace) => openWorkspace(database, workspace),
    workspaceId: (name) => workspaceId(database, name),
    async giveDomain(tenantId, domain) {
      const mail = await Database.connect({ url: urls.mail, schema: 'mail', entities: [] });
      try {
        await giveDomain(mail, tenantId, domain);
      } finally {
        await mail.close();
      }
    },
  };
}
