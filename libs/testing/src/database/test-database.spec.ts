import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database.js';

const tables = Array.from(
  { length: 60 },
  (_, i) => `CREATE TABLE shelf_${i} (id bigint PRIMARY KEY, note text);`,
);
const shelves: ServiceSchema<'shelves'> = {
  name: 'shelves',
  migrations: [{ name: 'init', sql: tables.join('') }],
};
const empty: ServiceSchema<'empty'> = { name: 'empty', migrations: [] };

async function rows(url: string, sql: string): Promise<object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('createTestDatabase', () => {
  let first: TestDatabase<'shelves' | 'empty'>;
  let second: TestDatabase<'shelves' | 'empty'>;

  beforeAll(async () => {
    // The template is made here once, though both ask for it at the same time.
    [first, second] = await Promise.all([
      createTestDatabase([shelves, empty]),
      createTestDatabase([shelves, empty]),
    ]);
  });

  afterAll(async () => {
    await Promise.all([first.drop(), second.drop()]);
  });

  it('gives each caller a database of its own, with every migration run', async () => {
    await rows(first.urls.shelves, `INSERT INTO shelf_59 VALUES (1, 'mine')`);
    expect(await rows(first.urls.shelves, 'SELECT note FROM shelf_59')).toEqual([{ note: 'mine' }]);
    expect(await rows(second.urls.shelves, 'SELECT note FROM shelf_59')).toEqual([]);
  });

  it('connects each service as its own role, which sees its own schema only', async () => {
    const denied = rows(first.urls.empty, 'SELECT * FROM shelves.shelf_0');
    await expect(denied).rejects.toMatchObject({ code: '42501' });
    const who = 'SELECT current_user AS role';
    expect(await rows(first.urls.empty, who)).toEqual([{ role: 'postroom_empty' }]);
  });

  it('makes another template for other migrations, and leaves sign-ins in force', async () => {
    const other = await createTestDatabase([{ ...shelves, migrations: [] }]);
    const count = `SELECT count(*)::int AS n FROM pg_tables WHERE tablename LIKE 'shelf%'`;
    expect(await rows(other.urls.shelves, count)).toEqual([{ n: 0 }]);
    expect(await rows(first.urls.shelves, count)).toEqual([{ n: 60 }]);
    await other.drop();
  });

  it('drops a database that someone is still connected to', async () => {
    const database = await createTestDatabase([shelves, empty]);
    const client = new Client({ connectionString: database.urls.empty });
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    await client.connect();
    await database.drop();
    await expect(rows(database.urls.empty, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
