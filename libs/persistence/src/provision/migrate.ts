import type { Client } from 'pg';
import { messageOf } from '@postroom/service/setup-error';
import { lockTables, whenTablesAreFree } from './lock-tables.js';
import { recordedMigrations } from './recorded-migrations.js';
import { lookupRole, serviceRole, type Migration, type ServiceSchema } from './service-schema.js';
import { applySqlFile, readSqlFiles, type SqlFile } from './sql-files.js';

/**
 * Brings a schema to its newest state in one transaction: its pending migrations, then its `.sql` files
 * that have changed since they were applied. Names without a schema are looked up in the schema and then
 * in `public` (the extensions). The tables `migrations` and `sql_files` record what has run. Services may work
 * meanwhile: where there is something to do, it waits for a moment in which it has all tables to itself.
 * @param client of an administrator
 * @throws Error that names what failed; the schema is as it was
 */
export async function migrate(client: Client, schema: ServiceSchema): Promise<void> {
  try {
    await whenTablesAreFree((waitMs) =>
      inTransaction(client, () => update(client, schema, waitMs)),
    );
  } catch (error) {
    throw new Error(`The migrations of schema ${schema.name} failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** @throws TablesInUse when that took more than `waitMs` */
async function update(client: Client, schema: ServiceSchema, waitMs: number): Promise<void> {
  await client.query(openSchema(schema.name));
  const recorded = new Set(await recordedMigrations(client, schema.name));
  const pending = schema.migrations.filter(({ name }) => !recorded.has(name));
  const files = await readSqlFiles(schema);
  const changed = await changedFiles(client, files);
  if (pending.length + changed.length > 0) await lockTables(client, schema.name, waitMs);
  for (const migration of pending) await runMigration(client, migration);
  for (const file of changed) await applyFile(client, file);
  await client.query('DELETE FROM sql_files WHERE path <> ALL ($1)', [
    files.map(({ path }) => path),
  ]);
  await client.query(closeSchema(schema.name));
}

async function runMigration(client: Client, { name, sql }: Migration): Promise<void> {
  await client.query(sql);
  await client.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
}

/** The files whose text is not the one that was applied last. */
async function changedFiles(client: Client, files: readonly SqlFile[]): Promise<SqlFile[]> {
  const applied = await client.query<Pick<SqlFile, 'path' | 'sha256'>>(
    'SELECT path, sha256 FROM sql_files',
  );
  const checksums = new Map(applied.rows.map(({ path, sha256 }) => [path, sha256]));
  return files.filter(({ path, sha256 }) => checksums.get(path) !== sha256);
}

async function applyFile(client: Client, file: SqlFile): Promise<void> {
  await applySqlFile((text) => client.query(text), file);
  await client.query(
    `INSERT INTO sql_files (path, sha256) VALUES ($1, $2) ON CONFLICT (path)
     DO UPDATE SET sha256 = excluded.sha256, applied_at = excluded.applied_at`,
    [file.path, file.sha256],
  );
}

/**
 * Default privileges come before the migrations, which may then take some of them away again. With
 * `pg_temp` at its end no function whose search path is this one's (SET search_path FROM CURRENT) finds
 * a temporary table in place of its own.
 */
const openSchema = (schema: string): string => `
  CREATE SCHEMA IF NOT EXISTS ${schema};
  REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC;
  GRANT USAGE ON SCHEMA ${schema} TO ${serviceRole(schema)}, ${lookupRole(schema)};
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema}
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${serviceRole(schema)};
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema}
    GRANT USAGE, SELECT ON SEQUENCES TO ${serviceRole(schema)};
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema}
    GRANT EXECUTE ON ROUTINES TO ${serviceRole(schema)};
  SET LOCAL search_path = ${schema}, public, pg_temp;
  CREATE TABLE IF NOT EXISTS migrations (
    name text COLLATE "C" PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS sql_files (
    path text PRIMARY KEY,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  );`;

/**
 * Hands definer functions over to the look-up role, which has to be allowed to create in the schema
 * meanwhile.
 */
const closeSchema = (schema: string): string => `
  GRANT CREATE ON SCHEMA ${schema} TO ${lookupRole(schema)};
  DO $$
  DECLARE
    v_function regprocedure;
  BEGIN
    FOR v_function IN SELECT p.oid FROM pg_proc p
      WHERE p.pronamespace = '${schema}'::regnamespace AND p.prosecdef
        AND p.proowner <> '${lookupRole(schema)}'::regrole
    LOOP
      EXECUTE format('ALTER ROUTINE %s OWNER TO ${lookupRole(schema)}', v_function);
    END LOOP;
  END $$;
  REVOKE CREATE ON SCHEMA ${schema} FROM ${lookupRole(schema)};
  REVOKE INSERT, UPDATE, DELETE ON migrations, sql_files FROM ${serviceRole(schema)};`;
