import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type RunningPostgres, startPostgres } from '../server/index.js';
import { provision, type ServiceSchema, withUser } from './index.js';

// New clusters on a disk that others are busy on.
jest.setTimeout(60_000);

class Letters1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      CREATE FUNCTION count_letters() RETURNS bigint LANGUAGE sql SECURITY DEFINER
        SET search_path = post, public AS 'SELECT count(*) FROM letters';
      ALTER FUNCTION count_letters() OWNER TO postroom_post_lookup;
      CREATE TABLE journal (line text);
      REVOKE UPDATE, DELETE ON journal FROM postroom_post;
    `);
  }
  async down(): Promise<void> {}
}

class Stamps1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE stamps (id int); CREATE VIEW used AS SELECT * FROM stamps`);
  }
  async down(): Promise<void> {}
}

class Halfway1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (id int)');
    await runner.query('SELECT 1 / 0');
  }
  async down(): Promise<void> {}
}

const post: ServiceSchema<'post'> = { name: 'post', migrations: [Letters1700000000000] };
const attic: ServiceSchema<'attic'> = { name: 'attic', migrations: [Stamps1700000000001] };
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
    expect(await rows(url, 'SELECT name FROM migrations')).toEqual([
      { name: 'Letters1700000000000' },
    ]);
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
    const { post: url } = await provisioned(post);
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
    const later = { ...post, migrations: [...post.migrations, Stamps1700000000001] };
    await provisioned(later, attic);
    await rows(url, `INSERT INTO journal VALUES ('kept')`);
    await expect(rows(url, 'DELETE FROM journal')).rejects.toMatchObject(refusal);
    expect(await rows(url, 'DELETE FROM stamps RETURNING id')).toEqual([]);
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

  it('rolls a failed migration back, names its schema, and keeps those before it', async () => {
    const broken = { ...attic, migrations: [...attic.migrations, Halfway1700000000002] };
    await expect(provisioned(broken)).rejects.toThrow(
      'The migrations of schema attic failed: division by zero',
    );
    expect(await rows(admin, `SELECT to_regclass('attic.half') AS half`)).toEqual([{ half: null }]);
    expect(await rows(admin, 'SELECT name FROM attic.migrations')).toEqual([
      { name: 'Stamps1700000000001' },
    ]);
  });

  it('is content with an administrator who is no superuser', async () => {
    await rows(
      admin,
      'DROP ROLE IF EXISTS keeper',
      `CREATE ROLE keeper LOGIN CREATEROLE PASSWORD 'keeper'`,
      `ALTER DATABASE ${new URL(admin).pathname.slice(1)} OWNER TO keeper`,
    );
    const keeper = withUser(admin, 'keeper', 'keeper');
    const plain: ServiceSchema<'plain'> = { name: 'plain', migrations: [Handover1700000000003] };
    const { plain: url } = await provision(keeper, [plain]);
    expect(await rows(url, 'SELECT one() AS one')).toEqual([{ one: 1 }]);
    await provision(keeper, [plain]);
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

class Handover1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION one() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
      ALTER FUNCTION one() OWNER TO postroom_plain_lookup;
      CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1 + 0';
    `);
  }
  async down(): Promise<void> {}
}

describe('withUser', () => {
  it.each([
    ['postgres://a:b@h:5433/d?sslmode=require', 'postgres://u:p%40@h:5433/d?sslmode=require'],
    ['postgres://h/d?user=a&password=b', 'postgres://u:p%40@h/d'],
    ['postgres:///d?host=/run/pg', 'postgres:///d?host=%2Frun%2Fpg&user=u&password=p%40'],
  ])('signs another user in at %s', (url, expected) => {
    expect(withUser(url, 'u', 'p@')).toBe(expected);
  });
});
