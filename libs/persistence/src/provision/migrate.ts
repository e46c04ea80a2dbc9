import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { lockTables, whenTablesAreFree } from './lock-tables.js';
import { messageOf } from '../server/setup-error.js';
import { lookupRole, serviceRole, type ServiceSchema } from './service-schema.js';
import { applySqlFile, readSqlFiles, type SqlFile } from './sql-files.js';

/**
 * Brings a schema to its newest state in one transaction: its pending migrations, then its `.sql` files
 * that have changed since they were applied. Names without a schema are looked up in the schema and then
 * in `public` (the extensions). The tables `migrations` and `sql_files` record what has run. Services may work
 * meanwhile: where there is something to do, it waits for a moment in which it has all tables to itself. Calls that
 * wait for it go on with its newest state, which functions of `.early.sql` files are made for: these are applied
 * before, on their own, where the schema is there already.
 * @throws Error that names what failed; the schema is as it was
 */
export async function migrate(adminUrl: string, schema: ServiceSchema): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: adminUrl,
    schema: schema.name,
    migrations: [...schema.migrations],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    // Through the package `debug`, silent unless asked for: the caller reports what is thrown.
    logger: 'debug',
    extra: { max: 2 },
  });
  await dataSource.initialize();
  try {
    await inTransaction(dataSource, (runner) => applyEarlyFiles(runner, schema));
    await whenTablesAreFree((waitMs) =>
      inTransaction(dataSource, (runner) => bringUp(runner, dataSource, schema, waitMs)),
    );
  } catch (error) {
    throw new Error(`The migrations of schema ${schema.name} failed: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await dataSource.destroy();
  }
}

/** @throws TablesInUse when that took more than `waitMs` */
async function bringUp(
  runner: QueryRunner,
  dataSource: DataSource,
  schema: ServiceSchema,
  waitMs: number,
): Promise<void> {
  await runner.query(openSchema(schema.name));
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'all';
  const files = await readSqlFiles(schema);
  const changed = await changedFiles(runner, files);
  if (changed.length > 0 || (await executor.showMigrations()))
    await lockTables(runner, schema.name, waitMs);
  await executor.executePendingMigrations();
  await applyFiles(runner, changed);
  await runner.query('DELETE FROM sql_files WHERE path <> ALL ($1)', [
    files.map(({ path }) => path),
  ]);
  await runner.query(closeSchema(schema.name));
}

async function applyEarlyFiles(runner: QueryRunner, schema: ServiceSchema): Promise<void> {
  const [found] = await runner.manager.query<{ there: boolean }[]>(
    'SELECT to_regclass($1) IS NOT NULL AS there',
    [`${schema.name}.sql_files`],
  );
  if (found?.there !== true) return;
  await runner.query(openSchema(schema.name));
  const early = (await readSqlFiles(schema)).filter(({ path }) => path.endsWith('.early.sql'));
  for (const file of await changedFiles(runner, early)) {
    if (await hasTablesOf(runner, file)) await applyFiles(runner, [file]);
  }
}

/** Whether the tables are there whose rows a file's functions return; if not, no call waits for them. */
async function hasTablesOf(runner: QueryRunner, { text }: SqlFile): Promise<boolean> {
  const [found] = await runner.manager.query<{ there: boolean | null }[]>(
    `SELECT bool_and(to_regtype(name[1]) IS NOT NULL) AS there
     FROM regexp_matches($1, 'SETOF (\\w+)', 'g') AS name`,
    [text],
  );
  return found?.there !== false;
}

async function inTransaction(
  dataSource: DataSource,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await work(runner);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
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
  CREATE TABLE IF NOT EXISTS sql_files (
    path text PRIMARY KEY,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  );`;

/** Those whose text is not the one that was applied last. */
async function changedFiles(runner: QueryRunner, files: readonly SqlFile[]): Promise<SqlFile[]> {
  const applied = await runner.manager.query<Pick<SqlFile, 'path' | 'sha256'>[]>(
    'SELECT path, sha256 FROM sql_files',
  );
  const checksums = new Map(applied.map(({ path, sha256 }) => [path, sha256]));
  return files.filter(({ path, sha256 }) => checksums.get(path) !== sha256);
}

async function applyFiles(runner: QueryRunner, files: readonly SqlFile[]): Promise<void> {
  for (const file of files) {
    await applySqlFile((text) => runner.query(text), file);
    await runner.query(
      `INSERT INTO sql_files (path, sha256) VALUES ($1, $2) ON CONFLICT (path)
       DO UPDATE SET sha256 = excluded.sha256, applied_at = excluded.applied_at`,
      [file.path, file.sha256],
    );
  }
}

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
