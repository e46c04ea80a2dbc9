import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startPostgres, type RunningPostgres } from '@postroom/local';
import { SetupError } from '@postroom/service/setup-error';
import {
  type Migration,
  provision,
  requireMigrations,
  type ServiceSchema,
  withDatabase,
  withUser,
} from './index.js';

// New clusters on a disk that others are busy on.

const letters: Migration = {
  name: 'letters',
  sql: `
  CREATE TABLE letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text NOT NULL,
    subject citext NOT NULL
  );
  CREATE INDEX letters_subject ON letters USING gin (tenant_id, (subject::text) gin_trgm_ops);
  ALTER TABLE letters ENABLE ROW LEVEL SECURITY;
  ALTER TABLE letters FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON letters USING (tenant_id = current_setting('postroom.tenant', true));
  CREATE POLICY lookup ON letters FOR SELECT TO postroom_post_lookup USING (true);
  GRANT SELECT ON letters TO postroom_post_lookup;
  CREATE TABLE journal (line text);
  REVOKE UPDATE, DELETE ON journal FROM postroom_post;
`,
};

const stamps: Migration = {
  name: 'stamps',
  sql: `CREATE TABLE stamps (id int); CREATE VIEW used AS SELECT * FROM stamps`,
};

const halfway: Migration = {
  name: 'halfway',
  sql: `CREATE TABLE half (id int);
SELECT 1 / 0`,
};

/** A folder of SQL files of its own; the same names in it are the same files to the migrator. */
async function sqlFolder(files: Readonly<Record<string, string>>): Promise<URL> {
  const package_ = await mkdtemp(join(tmpdir(), 'postroom-sql-'));
  folders.push(package_);
  const src = join(package_, 'office', 'src');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(src, path)), { recursive: true });
    await writeFile(join(src, path), text);
  }
  return pathToFileURL(`${src}/`);
}

const later: Migration = {
  name: 'later',
  sql: `CREATE TABLE later (id int)`,
};

const dated: Migration = {
  name: 'dated',
  sql: `ALTER TABLE letters ADD COLUMN dated date;
ALTER TABLE journal ADD COLUMN dated date`,
};

const countLetters = `
  CREATE OR REPLACE FUNCTION count_letters() RETURNS bigint LANGUAGE sql
  SECURITY DEFINER SET search_path FROM CURRENT AS 'SELECT count(*) FROM letters';`;

const folders: string[] = [];
const post: ServiceSchema<'post'> = { name: 'post', migrations: [letters] };
const attic: ServiceSchema<'attic'> = { name: 'attic', migrations: [stamps] };
const passwords = { post: 'p@ss:w/ord %', attic: 'attic' };

let folder: string;
let server: RunningPostgres;
let admin: string;
let databases = 0;

async function rows(url: string, ...statements: string[]): Promise<object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let result: object[] = [];
    for (const statement of statements) ({ rows: result } = await client.query(statement));
    return result;
  } finally {
    await client.end();
  }
}

async function newDatabase(): Promise<string> {
  databases += 1;
  await rows(server.adminUrl, `CREATE DATABASE test_${databases}`);
  const url = new URL(server.adminUrl);
  url.pathname = `/test_${databases}`;
  return url.href;
}

async function provisioned<Name extends string>(
  ...schemas: ServiceSchema<Name>[]
): Promise<Record<Name, string>> {
  return provision(admin, schemas, { passwords });
}

const refusal = { code: '42501' };

describe.each([undefined, 'embedded'] as const)('provision (programs: %s)', (origin) => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-provision-'));
    await chmod(folder, 0o711);
    server = await startPostgres({ origin, dataDir: folder, durable: false, log: () => undefined });
  });

  afterAll(async () => {
    await server.stop();
    await Promise.all(folders.splice(0).map((made) => rm(made, { recursive: true })));
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    admin = await newDatabase();
  });

  it('gives each service a sign-in that finds its own tables unqualified', async () => {
    const { post: url } = await provisioned(post, attic);
    const who = await rows(url, `SELECT current_user AS role, current_schema() AS schema`);
    expect(who).toEqual([{ role: 'postroom_post', schema: 'post' }]);
    const insert = `INSERT INTO letters (tenant_id, subject) VALUES ('t1', 'Été') RETURNING id`;
    expect(await rows(url, `SET postroom.tenant = 't1'`, insert)).toEqual([{ id: '1' }]);
    expect(await rows(url, `SELECT unaccent('é') AS e`)).toEqual([{ e: 'e' }]);
  });

  it("keeps a service out of another one's schema, of public, and of the migrations' record", async () => {
    const { post: url } = await provisioned(post, attic);
    await expect(rows(url, 'SELECT * FROM attic.stamps')).rejects.toMatchObject(refusal);
    await expect(rows(url, 'CREATE TABLE public.planted (id int)')).rejects.toMatchObject(refusal);
    await expect(rows(url, 'CREATE TABLE planted (id int)')).rejects.toMatchObject(refusal);
    await expect(rows(url, 'DELETE FROM migrations')).rejects.toMatchObject(refusal);
    await expect(rows(url, 'SET ROLE postroom_attic')).rejects.toMatchObject(refusal);
    expect(await rows(url, 'SELECT name FROM migrations')).toEqual([{ name: 'letters' }]);
  });

  it('shows no row, and takes none, without its tenant', async () => {
    const { post: url } = await provisioned(post);
    const insert = `INSERT INTO letters (tenant_id, subject) VALUES ('t1', 'x')`;
    const count = 'SELECT count(*)::int AS n FROM letters';
    await rows(url, `SET postroom.tenant = 't1'`, insert);
    expect(await rows(url, count)).toEqual([{ n: 0 }]);
    expect(await rows(url, `SET postroom.tenant = 't2'`, count)).toEqual([{ n: 0 }]);
    expect(await rows(url, `SET postroom.tenant = 't1'`, count)).toEqual([{ n: 1 }]);
    await expect(rows(url, insert)).rejects.toMatchObject(refusal);
    await expect(rows(url, `SET postroom.tenant = 't2'`, insert)).rejects.toMatchObject(refusal);
  });

  it('lets a definer function of the look-up role see across tenants, and make nothing', async () => {
    const sql = [await sqlFolder({ 'letters.sql': countLetters })];
    const { post: url } = await provisioned({ ...post, sql });
    const insert = `INSERT INTO letters (tenant_id, subject) VALUES ('t1', 'x')`;
    await rows(url, `SET postroom.tenant = 't1'`, insert);
    expect(await rows(url, 'SELECT count_letters()::int AS n')).toEqual([{ n: 1 }]);
    expect(
      await rows(
        admin,
        `SELECT rolcanlogin AS login, rolbypassrls AS passes,
                has_schema_privilege(oid, 'post', 'CREATE') AS makes
         FROM pg_roles WHERE rolname = 'postroom_post_lookup'`,
      ),
    ).toEqual([{ login: false, passes: false, makes: false }]);
  });

  it('runs again without a change, keeps what a migration revoked, and runs what is new', async () => {
    await provisioned(post);
    const { post: url } = await provisioned(post, attic);
    await provisioned({ ...post, migrations: [...post.migrations, stamps] }, attic);
    await rows(url, `INSERT INTO journal VALUES ('kept')`);
    await expect(rows(url, 'DELETE FROM journal')).rejects.toMatchObject(refusal);
    expect(await rows(url, 'DELETE FROM stamps RETURNING id')).toEqual([]);
  });

  it('refuses to serve on a database that lacks a migration, and on no other', async () => {
    const { post: url } = await provisioned(post);
    await requireMigrations(url, post);
    const newer = { ...post, migrations: [...post.migrations, later] };
    await expect(requireMigrations(url, newer)).rejects.toThrow(
      'lacks 1 of the migrations of schema post, later first: run the job "prepare"',
    );
    await requireMigrations(url, { ...post, migrations: [] });
    const elsewhere = withDatabase(url, new URL(await newDatabase()).pathname.slice(1));
    await expect(requireMigrations(elsewhere, post)).rejects.toThrow(/lacks \d of the migrations/);
  });

  it('refuses, and leaves as they are, the tables of a version with other init migrations', async () => {
    await provisioned(attic);
    await rows(admin, 'CREATE SCHEMA post');
    // As TypeORM kept it for the versions before 0.3.0.
    await rows(
      admin,
      `CREATE TABLE post.migrations (id serial PRIMARY KEY, timestamp bigint, name varchar)`,
      `INSERT INTO post.migrations (timestamp, name) VALUES (1765100000000, 'Init1765100000000')`,
    );
    const newRole = { name: 'cellar', migrations: [stamps] } as const;
    const attempt = provision(admin, [newRole, attic, post], { place: 'The data folder "var"' });
    await expect(attempt).rejects.toThrow(
      /^The data folder "var" was filled by a version before 0\.3\.0, from which there is no upgrade; .*\(Schema post has the migration Init1765100000000, and lacks letters\.\)$/,
    );
    await expect(attempt).rejects.toBeInstanceOf(SetupError);
    expect(await rows(admin, `SELECT to_regnamespace('cellar') AS made`)).toEqual([{ made: null }]);
  });

  it('works on the database of a newer version, whose further migrations it keeps', async () => {
    await provisioned({ ...post, migrations: [letters, dated] });
    const { post: url } = await provisioned(post);
    expect(await rows(url, 'SELECT name FROM migrations ORDER BY name')).toEqual([
      { name: 'dated' },
      { name: 'letters' },
    ]);
  });

  it('sets a changed password, and accepts a random one where none is given', async () => {
    const { post: url } = await provisioned(post);
    const { post: random } = await provision(admin, [post]);
    expect(await rows(random, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(rows(url, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('takes turns with another run on the same database', async () => {
    const [first, second] = await Promise.all([provisioned(post, attic), provisioned(post, attic)]);
    expect(first).toEqual(second);
    expect(await rows(admin, 'SELECT count(*)::int AS n FROM post.migrations')).toEqual([{ n: 1 }]);
  });

  it('prepares several databases of one cluster at once, whose roles are the same', async () => {
    const targets = await Promise.all([newDatabase(), newDatabase(), newDatabase(), newDatabase()]);
    const all = await Promise.all(
      targets.map((target) => provision(target, [post, attic], { passwords })),
    );
    for (const { post: url } of all) {
      expect(await rows(url, 'SELECT count(*)::int AS n FROM letters')).toEqual([{ n: 0 }]);
    }
  });

  it('rolls a failed migration back with those before it, and names its schema', async () => {
    await provisioned(attic);
    const broken = { ...attic, migrations: [...attic.migrations, halfway] };
    await expect(provisioned(broken)).rejects.toThrow(
      'The migrations of schema attic failed: division by zero',
    );
    expect(await rows(admin, `SELECT to_regclass('attic.half') AS half`)).toEqual([{ half: null }]);
    expect(await rows(admin, 'SELECT name FROM attic.migrations')).toEqual([{ name: 'stamps' }]);
  });

  describe('while a service works', () => {
    const datedPost = { ...post, migrations: [...post.migrations, dated] };
    const write = `INSERT INTO letters (tenant_id, subject) VALUES ('t1', 'x')`;
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted';
    let service: Client;

    beforeEach(async () => {
      const { post: url } = await provisioned(post);
      service = new Client({ connectionString: url });
      await service.connect();
      await service.query(`SET postroom.tenant = 't1'`);
    });
    afterEach(() => service.end());

    it('ends none of its transactions as a deadlock', async () => {
      await service.query(`BEGIN; INSERT INTO journal VALUES ('first')`);
      const dating = provisioned(datedPost);
      while ((await rows(admin, waiting)).length === 0) await sleep(10);
      await service.query(write);
      await service.query('COMMIT');
      await dating;
      const found = await rows(admin, 'SELECT dated FROM post.letters');
      expect(found).toEqual([{ dated: null }]);
    });

    it('lets others go on while a table is in use for long', async () => {
      const reader = new Client({ connectionString: admin });
      await reader.connect();
      await reader.query('BEGIN; SELECT FROM post.journal');
      const dating = provisioned(datedPost);
      // Each waits as long as the migration may wait for its tables; the reader would block it for good.
      for (let writes = 0; writes < 20; writes++) {
        await service.query(write);
        await sleep(20);
      }
      await reader.end();
      await dating;
    });
  });

  describe('the SQL files of a schema', () => {
    const one = (value: string): Promise<URL> =>
      sqlFolder({
        'numbers/one.sql': `-- A comment; it ends nothing.
          CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT ${value}; $$;
          CREATE OR REPLACE FUNCTION semicolon() RETURNS text LANGUAGE sql AS $x$ SELECT ';' $x$`,
      });
    const withFiles = async (folder: Promise<URL>): Promise<ServiceSchema<'attic'>> => ({
      ...attic,
      sql: [await folder],
    });
    const applied = (): Promise<object[]> =>
      rows(admin, 'SELECT path, applied_at FROM attic.sql_files ORDER BY path');

    it('are applied once, and again when their text has changed', async () => {
      const { attic: url } = await provisioned(await withFiles(one('1')));
      expect(await rows(url, 'SELECT one(), semicolon()')).toEqual([{ one: 1, semicolon: ';' }]);
      const before = await applied();
      expect(before).toEqual([{ path: 'office/numbers/one.sql', applied_at: expect.any(Date) }]);
      await provisioned(await withFiles(one('1')));
      expect(await applied()).toEqual(before);
      await provisioned(await withFiles(one('2')));
      expect(await applied()).not.toEqual(before);
      expect(await rows(url, 'SELECT one()')).toEqual([{ one: 2 }]);
    });

    it('are applied by path, whatever their folders, and are no more remembered when they are gone', async () => {
      const part = (name: string): Record<string, string> => ({
        [name]: `CREATE TABLE IF NOT EXISTS names (at serial, name text);
          INSERT INTO names (name) VALUES ('${name}')`,
      });
      const sql = await Promise.all([sqlFolder(part('b/2.sql')), sqlFolder(part('a/9.sql'))]);
      const { attic: url } = await provisioned({
        ...attic,
        sql: [...sql, await sqlFolder(part('b/10.sql'))],
      });
      expect(await rows(url, 'SELECT name FROM names ORDER BY at')).toEqual([
        { name: 'a/9.sql' },
        { name: 'b/10.sql' },
        { name: 'b/2.sql' },
      ]);
      await provisioned(attic);
      expect(await applied()).toEqual([]);
    });

    it.each([
      ['SELECT 1;\n\nSELECT 2,\n  nothing;', 'line 4: column "nothing" does not exist'],
      ['-- é 😀\nSELECT 1;\n-- Why.\nSELECT 1 / 0', 'line 4: division by zero'],
      [
        'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\nBEGIN\n  RETRUN 1;\nEND $$',
        'line 3',
      ],
    ])(
      'stop the migration when one fails, with file, line and cause: %j',
      async (text, message) => {
        await provisioned(await withFiles(one('1')));
        const before = await applied();
        const broken: ServiceSchema = {
          ...attic,
          migrations: [...attic.migrations, later],
          sql: [await one('2'), await sqlFolder({ 'z/broken.sql': text })],
        };
        await expect(provisioned(broken)).rejects.toThrow(
          `The migrations of schema attic failed: office/z/broken.sql, ${message}`,
        );
        expect(await applied()).toEqual(before);
        expect(
          await rows(admin, `SELECT attic.one(), to_regclass('attic.later') AS later`),
        ).toEqual([{ one: 1, later: null }]);
      },
    );
  });

  it('lets nobody but its owner make temporary tables in the database', async () => {
    const { post: url } = await provisioned(post);
    await expect(rows(url, 'CREATE TEMP TABLE planted (id int)')).rejects.toMatchObject(refusal);
  });

  it('is content with an administrator who is no superuser', async () => {
    await rows(
      admin,
      'DROP ROLE IF EXISTS keeper',
      `CREATE ROLE keeper LOGIN CREATEROLE PASSWORD 'keeper'`,
      `ALTER DATABASE ${new URL(admin).pathname.slice(1)} OWNER TO keeper`,
    );
    const keeper = withUser(admin, 'keeper', 'keeper');
    const one = async (value: string): Promise<ServiceSchema<'plain'>> => {
      const text = `CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql SECURITY DEFINER
        SET search_path FROM CURRENT AS 'SELECT ${value}'`;
      return { name: 'plain', migrations: [], sql: [await sqlFolder({ 'one.sql': text })] };
    };
    const { plain: url } = await provision(keeper, [await one('1')]);
    expect(await rows(url, 'SELECT one() AS one')).toEqual([{ one: 1 }]);
    await provision(keeper, [await one('2')]);
    expect(await rows(admin, 'SELECT plain.one() AS one')).toEqual([{ one: 2 }]);
  });

  it('refuses a role that could pass row-level security, and an extension out of place', async () => {
    await rows(admin, 'CREATE ROLE postroom_lofty BYPASSRLS');
    await expect(provision(admin, [{ name: 'lofty', migrations: [] }])).rejects.toThrow(
      'ALTER ROLE postroom_lofty NOSUPERUSER NOBYPASSRLS NOCREATEROLE;',
    );
    await rows(admin, 'CREATE SCHEMA x', 'ALTER EXTENSION citext SET SCHEMA x');
    await expect(provisioned(post)).rejects.toThrow('ALTER EXTENSION citext SET SCHEMA public');
  });
});

describe('withUser', () => {
  it.each([
    ['postgres://a:b@h:5433/d?sslmode=require', 'postgres://u:p%40@h:5433/d?sslmode=require'],
    ['postgres://h/d?user=a&password=b', 'postgres://u:p%40@h/d'],
    ['postgres:///d?host=/run/pg', 'postgres:///d?host=%2Frun%2Fpg&user=u&password=p%40'],
  ])('signs another user in at %s', (url, expected) => {
    expect(withUser(url, 'u', 'p@')).toBe(expected);
  });
});
