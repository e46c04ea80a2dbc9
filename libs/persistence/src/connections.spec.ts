import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { Connections, type InUse } from './connections.js';
import { startPostgres, type RunningPostgres } from './server/index.js';
import { TripClient } from './trip-client.js';

let folder: string;
let server: RunningPostgres;
let pool: Pool;
let connections: Connections;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-connections-'));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
}, 120_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  const options = { connectionString: server.adminUrl, max: 2, pipeline: true, Client: TripClient };
  pool = new Pool(options);
  // The last server may be stopped before it has noticed that a connection was ended.
  pool.on('error', () => undefined);
  connections = new Connections(pool, 2);
});

afterEach(() => pool.end());

const alive = async (client: InUse): Promise<unknown> =>
  (await client.query('SELECT 1 AS one')).rows[0];

describe('connections', () => {
  it('go to who waits, in the order they came, and are no more than the pool has', async () => {
    const [first, second] = await Promise.all([connections.connect(), connections.connect()]);
    const order: number[] = [];
    const later = [1, 2, 3].map(async (n) => {
      const client = await connections.connect();
      order.push(n);
      expect([first, second]).toContain(client);
      expect(await alive(client)).toEqual({ one: 1 });
      client.release();
    });
    first.release();
    await Promise.all(later);
    second.release();
    expect(order).toEqual([1, 2, 3]);
    expect([pool.totalCount, pool.idleCount]).toEqual([2, 2]);
  });

  it('are replaced for who waits when they come back spoilt', async () => {
    const [first, second] = await Promise.all([connections.connect(), connections.connect()]);
    const waiting = connections.connect();
    first.release(new Error('spoilt'));
    const client = await waiting;
    expect(client).not.toBe(first);
    expect(await alive(client)).toEqual({ one: 1 });
    client.release();
    second.release();
  });

  it('that cannot be made fail who asked and who waits, and nothing is lost by it', async () => {
    const none = new Pool({ host: '127.0.0.1', port: 1, max: 1 });
    const some = new Connections(none, 1);
    const asked = Array.from({ length: 5 }, () => some.connect());
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ECONNREFUSED' } });
    }
    await none.end();
  });

  it('are not waited for longer than five seconds', async () => {
    const [first, second] = await Promise.all([connections.connect(), connections.connect()]);
    await expect(connections.connect()).rejects.toThrow('timeout exceeded');
    first.release();
    const client = await connections.connect();
    client.release();
    second.release();
  }, 20_000);
});
