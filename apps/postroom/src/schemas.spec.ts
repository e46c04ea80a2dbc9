import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storingServiceNames } from '@postroom/contracts';
import { operationFunctions, operationTables } from '@postroom/operations';
import {
  lookupRole,
  type MigrationClass,
  provision,
  readSqlFiles,
  serviceRole,
  type ServiceSchema,
} from '@postroom/persistence/provision';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { schemas } from './database.js';

type Name = (typeof schemas)[number]['name'];
const names = schemas.map(({ name }) => name);
const bookkeeping = ['migrations', 'sql_files'];

/** The schema of a service that is made today. */
const newest = 'newest';
class InitNewest1700000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(operationTables(newest));
  }
  async down(): Promise<void> {}
}

let database: TestDatabase<Name | typeof newest>;
let admin: Client;

beforeAll(async () => {
  const migrations = [InitNewest1700000000000];
  const made: ServiceSchema<typeof newest> = {
    name: newest,
    migrations,
    sql: [operationFunctions],
  };
  database = await createTestDatabase<Name | typeof newest>([...schemas, made]);
  admin = await connected(database.adminUrl);
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function rows<R extends object>(sql: string, ...values: unknown[]): Promise<R[]> {
  return (await admin.query<R>(sql, values)).rows;
}

const countOf = async (sql: string, ...values: unknown[]): Promise<number | undefined> =>
  (await rows<{ n: number }>(`SELECT count(*)::int AS n FROM (${sql}) counted`, ...values))[0]?.n;

describe.each(names)('the schema %s', (schema) => {
  const [service, lookup] = [serviceRole(schema), lookupRole(schema)];

  it('forces row-level security on every table, and shows rows of its tenant only', async () => {
    const tables = `SELECT c.oid, c.relname::text AS table, c.relrowsecurity AND c.relforcerowsecurity AS forced,
        EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS "ofTenant"
      FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
        AND c.relname <> ALL ($2)`;
    const found = await rows<{ forced: boolean }>(tables, schema, bookkeeping);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ forced }) => !forced)).toEqual([]);

    const policies = await rows<{ roles: string; table: string; rule: string }>(
      `SELECT tablename AS table, roles::text, concat_ws(' / ', qual, with_check) AS rule
       FROM pg_policies WHERE schemaname = $1 AND permissive = 'PERMISSIVE'`,
      schema,
    );
    const own = `(tenant_id = current_setting('postroom.tenant'::text, true))`;
    for (const { roles, rule, table } of policies) {
      const allowed = roles === `{${lookup}}` ? ['true'] : [own, `${own} / ${own}`];
      expect({ table, rule, ok: allowed.includes(rule) }).toEqual({ table, rule, ok: true });
    }
    const shown = new Set(policies.filter(({ roles }) => roles === '{public}').map((p) => p.table));
    const ofTenants = await rows<{ table: string }>(
      `SELECT * FROM (${tables}) t WHERE t."ofTenant"`,
      schema,
      bookkeeping,
    );
    expect(ofTenants.filter(({ table }) => !shown.has(table))).toEqual([]);
  });

  it('has definer functions of the look-up role alone, whose search path ends in pg_temp', async () => {
    const functions = await rows<{ definer: boolean; owner: string; path: string | null }>(
      `SELECT p.oid::regprocedure::text AS function, p.prosecdef AS definer, o.rolname AS owner,
         (SELECT substr(c, 13) FROM unnest(p.proconfig) c WHERE c LIKE 'search_path=%') AS path
       FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner WHERE p.pronamespace = $1::regnamespace`,
      schema,
    );
    const path = `${schema}, public, pg_temp`;
    const isRight = ({ definer, owner, path: its }: (typeof functions)[number]): boolean =>
      definer ? owner === lookup && its === path : owner !== lookup && (its ?? path) === path;
    expect(functions.some(({ definer }) => definer)).toBe(true);
    expect(functions.filter((one) => !isRight(one))).toEqual([]);
  });

  it('belongs to the administrator, and is open to its two roles alone', async () => {
    const others = await rows(
      `SELECT c.relname, o.rolname AS owner, g.grantee::regrole::text, g.privilege_type
       FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner
       LEFT JOIN LATERAL aclexplode(c.relacl) g ON true
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'S')
         AND (o.rolname <> current_user OR g.is_grantable AND g.grantee <> c.relowner
           OR g.grantee NOT IN (c.relowner, $2::regrole, $3::regrole))`,
      ...[schema, service, lookup],
    );
    expect(others).toEqual([]);
    expect(
      await rows(
        `SELECT nspname::text AS schema, has_schema_privilege($1, n.oid, 'USAGE') AS "serviceUses",
           has_schema_privilege($2, n.oid, 'USAGE') AS "lookupUses",
           has_schema_privilege($1, n.oid, 'CREATE') OR has_schema_privilege($2, n.oid, 'CREATE') AS makes
         FROM pg_namespace n WHERE nspname = ANY ($3) ORDER BY nspname <> $4, nspname`,
        ...[service, lookup, names, schema],
      ),
    ).toEqual(
      [schema, ...names.filter((name) => name !== schema).toSorted()].map((name) => ({
        ...{ schema: name, makes: false },
        ...{ serviceUses: name === schema, lookupUses: name === schema },
      })),
    );
  });

  it('has a look-up role that nobody can sign in as or be, and that passes no policy', async () => {
    expect(
      await rows(
        `SELECT rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole AS can,
           pg_has_role($2, oid, 'MEMBER') AS "serviceIs" FROM pg_roles WHERE rolname = $1`,
        ...[lookup, service],
      ),
    ).toEqual([{ can: false, serviceIs: false }]);
  });

  it('lets its service change no record of what has been applied', async () => {
    for (const table of bookkeeping) {
      for (const right of ['INSERT', 'UPDATE', 'DELETE']) {
        const asked = [service, `${schema}.${table}`, right];
        expect(await countOf('SELECT WHERE has_table_privilege($1, $2, $3)', ...asked)).toBe(0);
      }
    }
  });
});

/** The statements of a migration, which is not run. */
async function statementsOf(migration: MigrationClass): Promise<string[]> {
  const statements: string[] = [];
  const runner = {
    query: (text: string) => Promise.resolve(void statements.push(text)),
  } as unknown as QueryRunner;
  await new migration().up(runner);
  return statements;
}

const sha256 = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\0')).digest('hex');

const golden = (name: string): URL => new URL(`./golden/${name}`, import.meta.url);
const mayWrite = process.env['UPDATE_GOLDENS'] === '1';

it.each(storingServiceNames)(
  '%s has the tables of operations that a new service has',
  async (schema) => {
    const columnsOf = (of: string) =>
      rows(
        `SELECT table_name, column_name, data_type, is_nullable, column_default, is_generated
       FROM information_schema.columns WHERE table_schema = $1 AND table_name IN
         (SELECT relname FROM pg_class WHERE relnamespace = $2::regnamespace AND relname <> ALL ($3))
       ORDER BY table_name, column_name`,
        ...[of, newest, bookkeeping],
      );
    expect(await columnsOf(schema)).toEqual(await columnsOf(newest));
  },
);

describe('a migration that has landed', () => {
  it('is never edited: a later change is a migration of its own', async () => {
    const file = golden('landed-migrations.json');
    const landed = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
      : {};
    const now: Record<string, string> = {};
    for (const { name, migrations } of schemas) {
      for (const migration of migrations) {
        now[`${name} ${migration.name}`] = sha256(await statementsOf(migration));
      }
    }
    // What is there already is not written anew.
    if (mayWrite) writeFileSync(file, `${JSON.stringify({ ...now, ...landed }, null, 2)}\n`);
    expect(now).toEqual(mayWrite ? { ...now, ...landed } : landed);
  });
});

/** Everything that provisioning makes in our schemas, by kind and name. */
const catalog = `
  WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname = ANY ($1)),
  relations AS (SELECT * FROM pg_class WHERE relnamespace IN (SELECT oid FROM ours))
  SELECT * FROM (
    SELECT 'relation' AS kind, r.oid::regclass::text AS name, concat_ws(' | ', r.relkind, r.relpersistence,
      r.reloptions, r.relrowsecurity, r.relforcerowsecurity, r.relacl) AS definition FROM relations r
    UNION ALL SELECT 'column', a.attrelid::regclass || '.' || a.attname, concat_ws(' | ',
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attcollation,
      a.attstorage, a.attacl, pg_get_expr(d.adbin, d.adrelid))
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid IN (SELECT oid FROM relations)
    UNION ALL SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace IN (SELECT oid FROM ours)
    UNION ALL SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indexrelid IN (SELECT oid FROM relations)
    UNION ALL SELECT 'policy', polrelid::regclass || '.' || polname, concat_ws(' | ', polcmd,
      polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    FROM pg_policy WHERE polrelid IN (SELECT oid FROM relations)
    UNION ALL SELECT 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
    FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM relations)
    UNION ALL SELECT 'function', oid::regprocedure::text,
      concat_ws(' | ', proowner::regrole, proacl, pg_get_functiondef(oid))
    FROM pg_proc WHERE pronamespace IN (SELECT oid FROM ours)
  ) made ORDER BY kind, name`;

describe('a database of the state of issue 19', () => {
  /** What that state consisted of, in sections that say whose they are. */
  const fixture = golden('issue-19.sql');
  const heading = /^--- (migration|file) (\S+) (\S+)\n/gm;

  async function stateNow(): Promise<string> {
    const sections: string[] = [];
    for (const schema of schemas) {
      for (const migration of schema.migrations) {
        const statements = await statementsOf(migration);
        sections.push(
          `--- migration ${schema.name} ${migration.name}\n${statements.join(';\n')}\n`,
        );
      }
      for (const { path, text } of await readSqlFiles(schema)) {
        sections.push(`--- file ${schema.name} ${path}\n${text}`);
      }
    }
    return sections.join('');
  }

  /** The schemas as they were then, whose SQL files are written into a folder. */
  async function schemasThen(folder: string): Promise<ServiceSchema<Name>[]> {
    const text = readFileSync(fixture, 'utf8');
    const found = [...text.matchAll(heading)];
    const sections = found.map(({ index, 0: head, 1: kind, 2: schema, 3: name = '' }, at) => {
      const end = found[at + 1]?.index ?? text.length;
      return { kind, schema, name, text: text.slice(index + head.length, end) };
    });
    // A schema that came later has nothing then.
    const there = names.filter((name) => sections.some(({ schema }) => schema === name));
    return Promise.all(
      there.map(async (schema) => {
        const own = sections.filter((section) => section.schema === schema);
        for (const { name, text: sql } of own.filter(({ kind }) => kind === 'file')) {
          const file = join(folder, schema, name.replace('/', '/src/'));
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, sql);
        }
        const migrations = own
          .filter(({ kind }) => kind === 'migration')
          .map(({ name, text: sql }) => migrationOf(name, sql));
        return { name: schema, migrations, sql: [pathToFileURL(`${join(folder, schema)}/`)] };
      }),
    );
  }

  const migrationOf = (name: string, sql: string): MigrationClass =>
    class {
      readonly name = name;
      async up(runner: QueryRunner): Promise<void> {
        await runner.query(sql);
      }
      async down(): Promise<void> {}
    };

  it('becomes by migrating what a new database is', async () => {
    if (mayWrite && !existsSync(fixture)) writeFileSync(fixture, await stateNow());
    const folder = await mkdtemp(join(tmpdir(), 'postroom-issue-19-'));
    const old = await createTestDatabase<Name>([]);
    // Roles are the whole run's: their passwords stay.
    const passwords = Object.fromEntries(
      Object.entries(database.urls).map(([name, url]) => [name, new URL(url).password]),
    );
    try {
      await provision(old.adminUrl, await schemasThen(folder), { passwords });
      await provision(old.adminUrl, schemas, { passwords });
      const client = await connected(old.adminUrl);
      const [migrated, expected] = await Promise.all(
        [client, admin].map((one) => one.query<object>(catalog, [names])),
      );
      expect(migrated?.rows).toEqual(expected?.rows);
      const temporary = `SELECT FROM unnest($1::text[]) role
        WHERE has_database_privilege(role, current_database(), 'TEMPORARY')`;
      expect((await client.query(temporary, [names.map(serviceRole)])).rowCount).toBe(0);
      await client.end();
    } finally {
      await old.drop();
      await rm(folder, { recursive: true });
    }
  });
});
