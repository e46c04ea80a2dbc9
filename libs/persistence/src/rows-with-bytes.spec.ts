import { randomBytes } from 'node:crypto';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { rowsWithBytes } from './rows-with-bytes.js';
import { startPostgres, type RunningPostgres } from './server/index.js';
import { statement } from './statement.js';

const echo = statement<{ text: string; size: number; hash: Buffer }>(
  'spec.echo',
  'SELECT $1::text AS text, length($2::bytea) AS size, sha256($2::bytea) AS hash',
);
const sha256 = statement<{ hash: Buffer }>('spec.sha256', 'SELECT sha256($1::bytea) AS hash');
const divide = statement<object>(
  'spec.divide_large',
  'SELECT 1 / ($1::int + length($2::bytea) * 0)',
);
const wrong = statement<object>('spec.wrong', 'SELECT nothing($1, $2)');
const end = statement<object>(
  'spec.end',
  'SELECT pg_terminate_backend(pg_backend_pid()), $1::bytea',
);

let folder: string;
let server: RunningPostgres;
let pool: Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-large-'));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
}, 120_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each([[false], [true]])('a value of bytes, pipelined: %s', (pipeline) => {
  beforeEach(() => {
    pool = new Pool({ connectionString: server.adminUrl, max: 1, pipeline });
    pool.on('error', () => undefined);
  });

  afterEach(() => pool.end());

  const alive = async (): Promise<unknown> => (await pool.query('SELECT 1 AS one')).rows[0];

  it.each([[0], [1], [256 * 1024], [256 * 1024 + 1], [20_000_000]])(
    'of %i bytes arrives as it is, before and after it is prepared',
    async (size) => {
      const large = randomBytes(size);
      const expected = await crypto.subtle.digest('SHA-256', large);
      for (const text of ['first', 'é again']) {
        const [row] = await rowsWithBytes(pool, echo, [text], large);
        expect(row?.text).toBe(text);
        expect(row?.size).toBe(size);
        expect(row?.hash.equals(Buffer.from(expected))).toBe(true);
      }
    },
    60_000,
  );

  it('answers why it is refused, and the next is served', async () => {
    const large = randomBytes(8_000_000);
    await expect(rowsWithBytes(pool, divide, [0], large)).rejects.toThrow('division by zero');
    expect(await alive()).toEqual({ one: 1 });
    await expect(rowsWithBytes(pool, wrong, [0], large)).rejects.toThrow('does not exist');
    expect(await alive()).toEqual({ one: 1 });
  }, 60_000);

  it('lets others wait for the connection, and mixes with nobody', async () => {
    const values = Array.from({ length: 5 }, (_, i) => Buffer.alloc(3_000_000, i));
    const hashing = values.map((value) => rowsWithBytes(pool, sha256, [], value));
    const others = Promise.all(Array.from({ length: 20 }, alive));
    const hashes = (await Promise.all(hashing)).map(([row]) => row?.hash.toString('hex'));
    expect(new Set(hashes).size).toBe(5);
    expect(await others).toHaveLength(20);
  }, 60_000);

  it('fails when its connection is lost, and the next has another', async () => {
    await expect(rowsWithBytes(pool, end, [], randomBytes(2_000_000))).rejects.toThrow();
    expect(await alive()).toEqual({ one: 1 });
  }, 60_000);
});
