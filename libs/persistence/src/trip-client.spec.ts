import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres, type RunningPostgres } from './server/index.js';
import { statement } from './statement.js';
import { TripClient } from './trip-client.js';

const values = statement<{ n: number; t: string; list: string[]; at: Date; none: null }>(
  'trip.values',
  `SELECT $1::int AS n, $2::text AS t, $3::text[] AS list, $4::timestamptz AS at, NULL AS none`,
);
const keep = statement<object>('trip.keep', 'INSERT INTO kept VALUES ($1)');
const kept = statement<{ ids: number[] | null }>(
  'trip.kept',
  'SELECT array_agg(id ORDER BY id) AS ids FROM kept',
);
const keepLater = statement<object>('trip.keep_later', 'INSERT INTO kept_later VALUES ($1)');
const divide = statement<{ q: number }>('trip.divide', 'SELECT 1 / $1::int AS q');
const later = statement<{ id: number }>('trip.later', 'SELECT id FROM comes_later');
const begin = statement<object>('trip.begin', 'BEGIN');
const commit = statement<object>('trip.commit', 'COMMIT');

let folder: string;
let server: RunningPostgres;
let client: TripClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-trips-'));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
}, 120_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  client = new TripClient({ connectionString: server.adminUrl, pipeline: true });
  await client.connect();
  await client.query('CREATE TEMPORARY TABLE kept (id int PRIMARY KEY)');
  await client.query(
    'CREATE TEMPORARY TABLE kept_later (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)',
  );
});

afterEach(() => client.end());

const ids = async (): Promise<number[] | null | undefined> =>
  (await client.ask(kept, [])).rows[0]?.ids;

/** Writes to the socket while `work` is done. */
async function writes(work: () => Promise<unknown>): Promise<number> {
  const { stream } = client.connection;
  let count = 0;
  const { _write, _writev } = stream;
  stream._write = (...given) => {
    count += 1;
    _write.apply(stream, given);
  };
  stream._writev = (...given) => {
    count += 1;
    _writev?.apply(stream, given);
  };
  await work();
  return count;
}

describe('statements asked for together', () => {
  it('leave in one write, those of promises that are settled by then too', async () => {
    const count = await writes(() =>
      Promise.all([
        client.ask(begin, []),
        client.ask(keep, [1]),
        Promise.resolve().then(() => client.ask(keep, [2])),
        client.ask(commit, []),
      ]),
    );
    expect(count).toBe(1);
    expect(await ids()).toEqual([1, 2]);
  });

  it('are answered each with its own rows, the first time and later', async () => {
    const at = new Date('2026-03-01T10:00:00.123Z');
    const list = ['a', 'b"c\\', 'é,{}'];
    for (let time = 0; time < 3; time += 1) {
      const asked = [1, 2].map((n) => client.ask(values, [n, `é ${n}`, list, at]));
      const [one, two] = await Promise.all(asked);
      expect(one?.rows).toEqual([{ n: 1, t: 'é 1', list, at, none: null }]);
      expect(two?.rows).toEqual([{ n: 2, t: 'é 2', list, at, none: null }]);
    }
  });

  it('are not run behind one that fails, and fail as it does', async () => {
    const asked = [
      client.ask(begin, []),
      client.ask(keep, [1]),
      client.ask(divide, [0]),
      client.ask(keep, [2]),
      client.ask(commit, []),
    ];
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'],
    ]);
    for (const outcome of outcomes.slice(2)) {
      expect(outcome).toMatchObject({ reason: { code: '22012' } });
    }
    await client.query('ROLLBACK');
    expect(await ids()).toBeNull();
    expect((await client.ask(divide, [1])).rows).toEqual([{ q: 1 }]);
  });

  it('fail from the first value on that has no text', async () => {
    const circular: Record<string, unknown> = {};
    circular['itself'] = circular;
    const [first, second, third] = await Promise.allSettled([
      client.ask(keep, [1]),
      client.ask(keep, [circular]),
      client.ask(keep, [3]),
    ]);
    expect([first.status, second.status, third.status]).toEqual([
      ...['fulfilled', 'rejected', 'rejected'],
    ]);
    expect(await ids()).toEqual([1]);
  });

  it('keep their place among the queries of the driver', async () => {
    const first = client.ask(keep, [1]);
    const second = client.query('UPDATE kept SET id = id + 10');
    const third = client.ask(keep, [1]);
    await Promise.all([first, second, third]);
    expect(await ids()).toEqual([1, 11]);
  });
});

describe('a statement', () => {
  it('in no transaction is done when it is committed', async () => {
    await client.ask(keepLater, [1]);
    await expect(client.ask(keepLater, [1])).rejects.toMatchObject({ code: '23505' });
  });

  it('that could not be prepared is prepared once it can be', async () => {
    await expect(client.ask(later, [])).rejects.toMatchObject({ code: '42P01' });
    await client.query('CREATE TEMPORARY TABLE comes_later AS SELECT 7 AS id');
    expect((await client.ask(later, [])).rows).toEqual([{ id: 7 }]);
  });

  it('whose first run failed is run again', async () => {
    await expect(client.ask(divide, [0])).rejects.toMatchObject({ code: '22012' });
    expect((await client.ask(divide, [1])).rows).toEqual([{ q: 1 }]);
    expect((await client.ask(divide, [1])).rows).toEqual([{ q: 1 }]);
  });
});
