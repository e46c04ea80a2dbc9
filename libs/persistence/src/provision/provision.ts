import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { passwordsOf } from '../sign-in.js';
import { SetupError } from '@postroom/service/setup-error';
import { migrate } from './migrate.js';
import { requireSameInit } from './recorded-migrations.js';
import { ensureRoles } from './roles.js';
import type { ServiceSchema } from './service-schema.js';
import { serviceUrls } from './service-url.js';

/** Passwords, and the name of the database for errors. */
export interface ProvisionOptions {
  /**
   * Passwords by schema name, set at each run, so that a changed one takes effect. Random by default. Of two,
   * `old,new`, the first is set.
   */
  readonly passwords?: Readonly<Record<string, string>> | undefined;
  /** The database's name for the operator, in an error: `The data folder "var"`. */
  readonly place?: string;
}

/** Extensions that the schemas use; all are trusted, so no superuser is needed. */
const extensions = ['btree_gin', 'citext', 'pg_trgm', 'unaccent'];

/**
 * Taken for the length of a run, in the database that is provisioned ("postroom" in ASCII). The role of a service could
 * hold it too: a run would wait then, while the services go on, and `pg_locks` shows the operator for which session.
 */
const lockKey = '8101821198636117869';

/**
 * Prepares a database for the services: extensions, and for each a schema, roles, its pending migrations
 * and its changed functions. Changes nothing that is already so; two runs at once take turns.
 *
 * A service's role may read and write what its migrations make, by default privileges: a migration
 * that revokes more (an append-only table) is not undone by a later run.
 *
 * @param adminUrl of one who may create roles and schemas in the database it names
 * @returns by schema name, the URL that its service connects with
 * @throws SetupError when the database stands in the way; else the migration's error
 */
export async function provision<Name extends string>(
  adminUrl: string,
  schemas: readonly ServiceSchema<Name>[],
  options: ProvisionOptions = {},
): Promise<Record<Name, string>> {
  const services = schemas.map((schema) => ({
    ...schema,
    password: options.passwords?.[schema.name] ?? randomBytes(24).toString('base64url'),
  }));
  for (const { name } of schemas) {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new RangeError(`not a schema name: ${name}`);
  }
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${lockKey})`);
    await requireSameInit(client, services, options.place ?? 'The database');
    await prepareDatabase(client);
    for (const service of services) {
      const [password = ''] = passwordsOf(service.password);
      await ensureRoles(client, service.name, password);
      await migrate(client, service);
    }
    return serviceUrls(adminUrl, services);
  } finally {
    await client.end();
  }
}

async function prepareDatabase(client: Client): Promise<void> {
  for (const extension of extensions) {
    await client.query(`CREATE EXTENSION IF NOT EXISTS ${extension} SCHEMA public`);
  }
  const { rows } = await client.query<{ extension: string; schema: string }>(
    `SELECT extname AS extension, extnamespace::regnamespace::text AS schema FROM pg_extension
     WHERE extname = ANY($1) AND extnamespace <> 'public'::regnamespace`,
    [extensions],
  );
  const elsewhere = rows[0];
  if (elsewhere !== undefined) {
    throw new SetupError(
      `The extension ${elsewhere.extension} is in the schema ${elsewhere.schema} of this database, ` +
        `but Postroom looks for it in "public": ALTER EXTENSION ${elsewhere.extension} SET SCHEMA ` +
        'public, or give Postroom a database of its own.',
    );
  }
  // Databases that began before PostgreSQL 15 let everyone create there.
  await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  // No service makes temporary tables; an administrator who does not own the database may not say so,
  // which is a warning of PostgreSQL's and no error.
  await client.query(
    `DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$`,
  );
}
