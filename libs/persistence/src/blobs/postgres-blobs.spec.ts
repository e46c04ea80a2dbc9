import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { provision } from '../provision/index.js';
import { startPostgres, type RunningPostgres } from '@postroom/local';
import { blobsSchema } from './blobs-schema.js';
import { PostgresBlobs } from './postgres-blobs.js';

let folder: string;
let server: RunningPostgres;
let admin: Client;
let service: Client;
let blobs: PostgresBlobs;
const troubles: unknown[] = [];

const count = async (client = admin): Promise<number> => {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM blobs.chunks');
  return rows[0]?.n ?? -1;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-blobs-'));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => undefined });
  const { blobs: url } = await provision(server.adminUrl, [blobsSchema]);
  admin = new Client({ connectionString: server.adminUrl });
  service = new Client({ connectionString: url });
  await admin.connect();
  await service.connect();
  blobs = new PostgresBlobs({ url, onTrouble: (error) => troubles.push(error) });
});

afterAll(async () => {
  await blobs.close();
  await service.end();
  await admin.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('bodies on their way', () => {
  it.each([0, 1, 262_144, 262_145, 3_000_000])(
    'of %i bytes come back as they went',
    async (size) => {
      const bytes = randomBytes(size);
      const reference = await blobs.put('ten_a', bytes);
      expect((await blobs.get('ten_a', reference))?.equals(bytes)).toBe(true);
      // A redelivered request finds its body again.
      expect((await blobs.get('ten_a', reference))?.equals(bytes)).toBe(true);
    },
  );

  it('are written without waiting for the many that are read', async () => {
    const bytes = randomBytes(8_000_000);
    const reference = await blobs.put('ten_a', bytes);
    let readOnes = 0;
    const reading = Array.from({ length: 20 }, async () => {
      await blobs.get('ten_a', reference);
      readOnes += 1;
    });
    await blobs.put('ten_a', bytes);
    expect(readOnes).toBe(0);
    await Promise.all(reading);
  });

  it.each([[], [0], [1, 2, 3], [262_144], [262_144, 1], [100_000, 300_000, 0, 800_000]])(
    'come little by little, and are there once they are whole (%j)',
    async (...sizes: number[]) => {
      const pieces = sizes.map((size) => randomBytes(size));
      const writer = blobs.createWriter('ten_a');
      for (const piece of pieces) await writer.append(piece);
      expect(await blobs.get('ten_a', writer.reference)).toBeNull();
      await writer.finish();
      const found = await blobs.get('ten_a', writer.reference);
      expect(found?.equals(Buffer.concat(pieces))).toBe(true);
      const { rows } = await admin.query<{ n: number }>(
        'SELECT max(octet_length(bytes)) AS n FROM blobs.chunks WHERE blob_id = $1',
        [writer.reference],
      );
      expect(rows[0]?.n).toBeLessThanOrEqual(262_144);
    },
  );

  it('open for their own workspace only', async () => {
    const reference = await blobs.put('ten_a', Buffer.from('secret'));
    expect(await blobs.get('ten_b', reference)).toBeNull();
    await blobs.drop('ten_b', reference);
    expect(await blobs.get('ten_a', reference)).toEqual(Buffer.from('secret'));
    expect(await count(service)).toBe(0);
  });

  it('are gone once dropped, and were never there under another reference', async () => {
    const reference = await blobs.put('ten_a', Buffer.from('x'));
    await blobs.drop('ten_a', reference);
    expect(await blobs.get('ten_a', reference)).toBeNull();
    expect(await blobs.get('ten_a', 'nonsense')).toBeNull();
  });

  it('are nothing while they are not whole', async () => {
    const reference = await blobs.put('ten_a', randomBytes(600_000));
    await admin.query('DELETE FROM blobs.chunks WHERE blob_id = $1 AND is_last', [reference]);
    expect(await blobs.get('ten_a', reference)).toBeNull();
  });

  it('are forgotten after an hour, of every workspace', async () => {
    await admin.query('TRUNCATE blobs.chunks');
    for (const tenant of ['ten_a', 'ten_b']) await blobs.put(tenant, randomBytes(300_000));
    await admin.query(`UPDATE blobs.chunks SET created_at = now() - interval '59 minutes'`);
    await blobs.purge();
    expect(await count()).toBe(4);
    await admin.query(`UPDATE blobs.chunks SET created_at = now() - interval '61 minutes'`);
    await blobs.purge();
    expect(await count()).toBe(0);
  });

  it('are forgotten many at a time, and what another process is at is left to it', async () => {
    await admin.query('TRUNCATE blobs.chunks');
    await admin.query(`INSERT INTO blobs.chunks
      SELECT 'ten_a', 'b' || i, 0, true, 'x', now() - interval '2 hours'
      FROM generate_series(1, 2500) i`);
    await admin.query('BEGIN');
    await admin.query(`SELECT FROM blobs.chunks WHERE blob_id = 'b7' FOR UPDATE`);
    await blobs.purge();
    await admin.query('COMMIT');
    expect(await count()).toBe(1);
    await blobs.purge();
    expect(await count()).toBe(0);
  });

  it('survive a lost connection: the next call has another', async () => {
    const reference = await blobs.put('ten_a', Buffer.from('x'));
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE usename = 'postroom_blobs' AND pid <> $1`,
      [(await service.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid],
    );
    const again = () => blobs.get('ten_a', reference);
    expect(await again().catch(again)).toEqual(Buffer.from('x'));
  });
});
