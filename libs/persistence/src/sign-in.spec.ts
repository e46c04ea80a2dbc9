import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Pool } from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Database } from './database.js';
import { Listener } from './listener.js';
import { provision, requireMigrations, withUser, type ServiceSchema } from './provision/index.js';
import { startPostgres, type RunningPostgres } from '@postroom/local';
import { statement } from './statement.js';
import { connectClient, SignInPool, signInUrls } from './sign-in.js';

// A new cluster on a disk that others are busy on.

const schema: ServiceSchema<'desk'> = { name: 'desk', migrations: [] };
const one = statement<{ one: number }>('sign_in.one', 'SELECT 1 AS one');
const [old, next] = ['the old password of the desk', 'the next password of it'];

describe('a URL of two passwords', () => {
  it('is two URLs, in their order', () => {
    expect(signInUrls('postgres://me:one,two@host:1/name?sslmode=require')).toEqual([
      'postgres://me:one@host:1/name?sslmode=require',
      'postgres://me:two@host:1/name?sslmode=require',
    ]);
    expect(signInUrls('postgres:///name?host=%2Frun&user=me&password=a%2Cb')).toEqual([
      'postgres:///name?host=%2Frun&user=me&password=a',
      'postgres:///name?host=%2Frun&user=me&password=b',
    ]);
  });

  it('is one where it has one, whose comma is written %2C, or none', () => {
    for (const url of ['postgres://me:a%2Cb@host/name', 'postgres://host/name', 'postgres:///name'])
      expect(signInUrls(url)).toEqual([url]);
  });

  it.each(['postgres://admin:x@host/name', 'postgres:///name?host=%2Frun'])(
    'is made of an administrator’s, whatever the passwords hold: %s',
    (adminUrl) => {
      const urls = signInUrls(withUser(adminUrl, 'me', 'a b@/,c&d:e'));
      expect(urls.map((url) => new Client({ connectionString: url }).password)).toEqual([
        'a b@/',
        'c&d:e',
      ]);
    },
  );
});

describe('while the password of a role is changed', () => {
  let folder: string;
  let server: RunningPostgres;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-sign-in-'));
    server = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => undefined });
    await setPasswords(old);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const setPasswords = (passwords: string) =>
    provision(server.adminUrl, [schema], { passwords: { desk: passwords } });
  const urlWith = (passwords: string): string =>
    withUser(server.adminUrl, 'postroom_desk', passwords);

  /** Ends all connections of the role, as a restart of PostgreSQL does. */
  async function endConnections(): Promise<void> {
    const admin = new Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postroom_desk'`,
    );
    await admin.end();
  }

  it('a service that has both is refused nothing, though each query opens a connection', async () => {
    await setPasswords(old);
    const url = urlWith(`${old},${next}`);
    const database = await Database.connect({ url, schema: 'desk', entities: [] });
    const driver = database.dataSource.driver as PostgresDriver;
    (driver.master as Pool).options.maxUses = 1;
    const pool = new SignInPool({ urls: signInUrls(url), max: 5, maxUses: 1 });
    const listener = new Listener({ url, reconnectMs: 10 });
    let woken = 0;
    await listener.listen('desk', () => woken++);
    const failures: unknown[] = [];
    let asked = 0;
    let isOver = false;
    const asking = [
      () => database.rows(one, []),
      () => database.dataSource.query('SELECT 1'),
      () => pool.query('SELECT 1'),
    ].map(async (query) => {
      for (; !isOver; asked += 1) await query().catch((error: unknown) => failures.push(error));
    });
    /** Waits until each has been asked some more. */
    const someMore = async (): Promise<void> => {
      for (const enough = asked + 12; asked < enough;) await sleep(5);
    };
    try {
      await someMore();
      await setPasswords(`${next},${old}`);
      await someMore();
      await expect(connectClient(urlWith(old))).rejects.toMatchObject({ code: '28P01' });
      await setPasswords(old);
      await someMore();
      await setPasswords(next);
      await someMore();
      isOver = true;
      await Promise.all(asking);
      expect(failures).toEqual([]);
      await endConnections();
      for (const until = Date.now() + 240_000; woken === 0 && Date.now() < until;) await sleep(20);
      // It has connected again, with the new one.
      expect(listener.isConnected).toBe(true);
      await requireMigrations(url, schema);
    } finally {
      isOver = true;
      await Promise.all([listener.close(), pool.end(), database.close()]);
    }
  });

  it('wrong ones are refused after an attempt each, one or two', async () => {
    await setPasswords(old);
    // By a client each once; a pool of several tries the first one again.
    const attempts = { 'one that is wrong': 3, 'one that is wrong,another one': 8 };
    for (const [passwords, count] of Object.entries(attempts)) {
      const url = urlWith(passwords);
      const connects = jest.spyOn(Client.prototype, 'connect');
      const refused = { code: '28P01', message: expect.stringContaining('password') };
      const connecting = Database.connect({ url, schema: 'desk', entities: [] });
      await expect(connecting).rejects.toMatchObject(refused);
      await expect(connectClient(url)).rejects.toMatchObject(refused);
      const pool = new SignInPool({ urls: signInUrls(url) });
      await expect(pool.query('SELECT 1')).rejects.toMatchObject(refused);
      await pool.end();
      expect(connects).toHaveBeenCalledTimes(count);
      connects.mockRestore();
    }
  });
});
