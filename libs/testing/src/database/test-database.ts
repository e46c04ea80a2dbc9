import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  provision,
  type ServiceSchema,
  serviceUrls,
  type SignIn,
  withDatabase,
} from '@postroom/persistence/provision';
import { Client } from 'pg';
import { testCluster, type TestCluster } from './test-cluster.js';

/** A database of one's own, with every migration run. */
export interface TestDatabase<Name extends string = string> {
  /** The URL of an administrator, who bypasses every policy. */
  readonly adminUrl: string;
  /** By schema name: as its service connects. */
  readonly urls: Record<Name, string>;
  /** Deletes the database, and cuts off whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * Makes a database with the given schemas, empty but for what migrations put there. The first spec
 * of a run to ask for this set of schemas runs the migrations, into a template; everyone else gets
 * a copy of it (some 50 ms).
 *
 * @example
 * let database: TestDatabase<'mail'>;
 * beforeAll(async () => (database = await createTestDatabase([mailSchema])));
 * afterAll(() => database.drop());
 */
export async function createTestDatabase<Name extends string>(
  schemas: readonly ServiceSchema<Name>[],
): Promise<TestDatabase<Name>> {
  const cluster = await testCluster();
  const services = schemas.map((schema) => ({
    ...schema,
    password: passwordOf(cluster, schema.name),
  }));
  const name = `${cluster.run}-${randomBytes(6).toString('hex')}`;
  await asAdmin(cluster, async (client) => {
    const template = await ensureTemplate(client, cluster, services);
    await client.query(copyOf(template, name));
  });
  const adminUrl = withDatabase(cluster.adminUrl, name);
  return {
    adminUrl,
    urls: serviceUrls(adminUrl, services),
    drop: () =>
      asAdmin(cluster, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      }),
  };
}

type Service<Name extends string> = ServiceSchema<Name> & SignIn<Name>;

/**
 * Roles are the cluster's, so that every template of a run, and every run on one server, has to
 * give a role the same password.
 */
function passwordOf({ adminUrl }: TestCluster, schema: string): string {
  return createHmac('sha256', adminUrl).update(schema).digest('base64url');
}

/** The template's name. One is made under another name first, so that none is ever half made. */
async function ensureTemplate<Name extends string>(
  client: Client,
  cluster: TestCluster,
  services: readonly Service<Name>[],
): Promise<string> {
  const name = `${cluster.run}-${fingerprint(services)}`;
  const unfinished = `${name}-unfinished`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rows.length === 0) {
    await client.query(`DROP DATABASE IF EXISTS "${unfinished}" WITH (FORCE)`);
    await client.query(copyOf('template0', unfinished));
    const passwords = Object.fromEntries(
      services.map((service) => [service.name, service.password]),
    );
    await provision(withDatabase(cluster.adminUrl, unfinished), services, { passwords });
    await client.query(`ALTER DATABASE "${unfinished}" RENAME TO "${name}"`);
  }
  await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  return name;
}

/** A hash of the schemas' names and migrations, and of where their SQL files are. */
function fingerprint(schemas: readonly ServiceSchema[]): string {
  const hash = createHash('sha256');
  for (const { name, migrations, sql = [] } of schemas) {
    hash.update(`${name} ${sql.join(' ')}\n`);
    for (const migration of migrations) hash.update(`${migration.name} ${migration.sql}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Copying files is quicker than PostgreSQL's default of writing every page to its log. */
const copyOf = (template: string, name: string): string =>
  `CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY file_copy`;

async function asAdmin<T>(
  { adminUrl }: TestCluster,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
