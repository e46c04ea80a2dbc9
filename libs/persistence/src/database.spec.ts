import { EventEmitter } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { EntitySchema } from 'typeorm';
import { Database, type Transaction, type TransactionEnds } from './database.js';
import { provision, type Migration } from './provision/index.js';
import { SilentLine } from './testing/silent-line.js';
import { startPostgres, type RunningPostgres } from '@postroom/local';
import { statement } from './statement.js';

const notesMigration: Migration = {
  name: 'notes',
  sql: `
  CREATE TABLE notes (id int PRIMARY KEY, text text NOT NULL);
  CREATE TABLE answers (
    note int REFERENCES notes DEFERRABLE INITIALLY DEFERRED
  );
`,
};

interface Note {
  id: number;
  text: string;
}

const NoteEntity = new EntitySchema<Note>({
  name: 'Note',
  tableName: 'notes',
  columns: { id: { type: 'int', primary: true }, text: { type: 'text' } },
});

const one = statement<{ one: number }>('database.spec.one', 'SELECT 1 AS one');
const pidOf = statement<{ pid: number }>('database.spec.pid', 'SELECT pg_backend_pid() AS pid');
const write = statement<object>('spec.write', `INSERT INTO notes VALUES ($1, 'written')`);
const answer = statement<object>('spec.answer', 'INSERT INTO answers VALUES ($1)');
const divide = statement<object>('spec.divide', 'SELECT 1 / $1::int');
const wait = statement<object>('database.spec.wait', 'SELECT pg_sleep($1)');
const echo = statement<{ text: string }>('spec.echo_text', 'SELECT $1::text AS text');
const later = statement<{ id: number }>('spec.later', 'SELECT id FROM comes_later');

let folder: string;
let server: RunningPostgres;
let url: string;
let admin: Client;
const opened: Database[] = [];

async function connect(poolSize = 1, statementTimeoutMs = 10_000, by = url): Promise<Database> {
  const database = await Database.connect({
    url: by,
    schema: 'desk',
    entities: [NoteEntity],
    poolSize,
    statementTimeoutMs,
  });
  opened.push(database);
  return database;
}

/** A transaction that begins and ends with nothing more than it must, unless told otherwise. */
const inTransaction = <T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
  ends: Partial<TransactionEnds<unknown>> = {},
): Promise<T> =>
  database.transaction({ begin: () => Promise.resolve(), commit: () => [], ...ends }, work);

async function notes(): Promise<number[]> {
  const { rows } = await admin.query<{ id: number }>('SELECT id FROM desk.notes ORDER BY id');
  return rows.map(({ id }) => id);
}

/** The connections of the service, and what each of them is doing. */
async function connections(): Promise<string[]> {
  const { rows } = await admin.query<{ state: string }>(
    `SELECT state FROM pg_stat_activity WHERE usename = 'postroom_desk'`,
  );
  return rows.map(({ state }) => state);
}

const terminate = (pid: number) => admin.query('SELECT pg_terminate_backend($1, 5000)', [pid]);

async function pid(rows: Transaction['rows']): Promise<number> {
  const [row] = await rows(pidOf, []);
  return row?.pid ?? 0;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-database-'));
  await chmod(folder, 0o711);
  server = await startPostgres({
    databaseUrl: undefined,
    dataDir: folder,
    durable: false,
    log: () => undefined,
  });
  ({ desk: url } = await provision(server.adminUrl, [
    { name: 'desk', migrations: [notesMigration] },
  ]));
  admin = new Client({ connectionString: server.adminUrl });
  await admin.connect();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await admin.query('TRUNCATE desk.notes, desk.answers');
});

afterAll(async () => {
  await admin.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a transaction', () => {
  it('gives the work what was queried at its beginning, and commits what it wrote', async () => {
    const database = await connect();
    const result = await database.transaction(
      { begin: (rows) => rows(one, []), commit: (rows) => [rows(write, [2])] },
      async ({ rows }, begun) => {
        await rows(write, [1]);
        return begun;
      },
    );
    expect(result).toEqual([{ one: 1 }]);
    expect(await notes()).toEqual([1, 2]);
  });

  it.each([
    ['the query at its beginning', { begin: (rows) => rows(divide, [0]) }, null, '22012'],
    ['the work', {}, divide, '22012'],
    ['a query at its end', { commit: (rows) => [rows(write, [1])] }, null, '23505'],
    ['the commit itself', { commit: (rows) => [rows(answer, [9])] }, null, '23503'],
  ] satisfies [string, Partial<TransactionEnds<unknown>>, typeof divide | null, string][])(
    'leaves nothing when %s fails, and its connection is as good as before',
    async (_what, ends: Partial<TransactionEnds<unknown>>, failing, code) => {
      const database = await connect();
      const before = await pid((one, values) => database.rows(one, values));
      const failed = inTransaction(
        database,
        async ({ rows }) => {
          await rows(write, [1]);
          if (failing) await rows(failing, [0]);
        },
        ends,
      );
      await expect(failed).rejects.toMatchObject({ code });
      expect(await notes()).toEqual([]);
      const after = await inTransaction(database, async ({ rows }) => {
        await rows(write, [7]);
        return pid(rows);
      });
      expect(after).toBe(before);
      expect(await notes()).toEqual([7]);
    },
  );

  it('does not run the work when the query at its beginning fails', async () => {
    const database = await connect();
    let ran = false;
    const failed = inTransaction(database, () => Promise.resolve((ran = true)), {
      begin: (rows) => rows(divide, [0]),
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(ran).toBe(false);
  });

  it('throws what the work threw, and what came up while its end was prepared', async () => {
    const database = await connect();
    const mine = new Error('mine');
    const failing = inTransaction(database, () => Promise.reject(mine));
    await expect(failing).rejects.toBe(mine);
    const unprepared = inTransaction(database, ({ rows }) => rows(write, [1]), {
      commit: () => {
        throw mine;
      },
    });
    await expect(unprepared).rejects.toBe(mine);
    expect(await notes()).toEqual([]);
  });

  it('fails when a statement in it failed, also when the work thought nothing of that', async () => {
    const database = await connect();
    const careless = inTransaction(database, async ({ rows }) => {
      await rows(write, [1]);
      await rows(divide, [0]).catch(() => undefined);
    });
    await expect(careless).rejects.toThrow('rolled back');
    expect(await notes()).toEqual([]);
  });

  it('fails at a value that cannot be encoded, and the next one is served', async () => {
    const database = await connect();
    const circular: Record<string, unknown> = {};
    circular['itself'] = circular;
    const failed = inTransaction(database, async ({ rows }) => {
      await rows(write, [1]);
      await rows(echo, [circular]);
    });
    await expect(failed).rejects.toThrow('circular');
    expect(await notes()).toEqual([]);
    const echoed = await inTransaction(database, ({ rows }) => rows(echo, ['a']));
    expect(echoed).toEqual([{ text: 'a' }]);
  });

  it('prepares a statement that could not be prepared before, once it can be', async () => {
    const database = await connect();
    const asked = () => inTransaction(database, ({ rows }) => rows(later, []));
    await expect(asked()).rejects.toMatchObject({ code: '42P01' });
    await admin.query('CREATE TABLE desk.comes_later AS SELECT 7 AS id');
    await admin.query('GRANT SELECT ON desk.comes_later TO postroom_desk');
    expect(await asked()).toEqual([{ id: 7 }]);
  });

  it('leaks no connection over 200 failures of every kind', async () => {
    const database = await connect(3);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        inTransaction(
          database,
          async ({ rows, manager }) => {
            await rows(write, [i]);
            if (i % 4 === 0) throw new Error('of ours');
            if (i % 4 === 1) await manager.query('SELECT 1 / 0');
          },
          {
            ...(i % 4 === 2 && { begin: (rows) => rows(divide, [0]) }),
            ...(i % 4 === 3 && { commit: (rows) => [rows(answer, [-1])] }),
          },
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect(await notes()).toEqual([]);
    const states = await connections();
    expect(states.length).toBeLessThanOrEqual(3);
    expect(new Set(states)).toEqual(new Set(['idle']));
    await inTransaction(database, ({ rows }) => rows(write, [1]));
    expect(await notes()).toEqual([1]);
  });

  it('leaves no listener on its connection', async () => {
    const database = await connect();
    const listeners = new Set<number>();
    for (let i = 0; i < 3; i += 1) {
      await inTransaction(database, async ({ manager }) => {
        const client: unknown = await manager.queryRunner?.connect();
        if (client instanceof EventEmitter) listeners.add(client.listenerCount('error'));
      });
    }
    expect(listeners.size).toBe(1);
  });

  it('never has more connections than the pool may have', async () => {
    const database = await connect(2);
    let most = 0;
    const works = Array.from({ length: 12 }, (_, i) =>
      inTransaction(database, async ({ rows }) => {
        await rows(write, [i]);
        most = Math.max(most, (await connections()).length);
      }),
    );
    await Promise.all(works);
    expect(most).toBe(2);
    expect(await notes()).toHaveLength(12);
  });
});

describe('a connection', () => {
  it('is waited for five seconds at most, in the order of asking', async () => {
    const database = await connect();
    let free = (): void => undefined;
    const holding = inTransaction(database, () => new Promise<void>((resolve) => (free = resolve)));
    await expect(database.rows(one, [])).rejects.toThrow('timeout exceeded');
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      await database.rows(one, []);
      order.push(n);
    });
    free();
    await Promise.all([holding, ...waiting]);
    expect(order).toEqual([1, 2, 3]);
  });

  it('is left for others by a workspace that has much under way', async () => {
    const database = await connect(4);
    const order: string[] = [];
    const ask = async (tenantId: string, seconds: number): Promise<void> => {
      await database.rows(wait, [seconds], tenantId);
      order.push(tenantId);
    };
    const burst = Array.from({ length: 6 }, () => ask('one', 1));
    await Promise.all([...burst, ask('two', 0), ask('two', 0), ask('three', 0)]);
    expect(order.slice(0, 3).sort()).toEqual(['three', 'two', 'two']);
  });
});

describe('entities in a transaction', () => {
  it('are saved in it, not in one of their own', async () => {
    const database = await connect();
    const failed = inTransaction(database, async ({ manager }) => {
      await manager.save(NoteEntity, [
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ]);
      await manager.remove(NoteEntity, { id: 2, text: 'b' });
      throw new Error('of ours');
    });
    await expect(failed).rejects.toThrow('of ours');
    expect(await notes()).toEqual([]);
  });

  it('share it with prepared statements', async () => {
    const database = await connect();
    await inTransaction(database, async ({ manager, rows }) => {
      await rows(write, [1]);
      const note = await manager.findOneByOrFail(NoteEntity, { id: 1 });
      await manager.save(NoteEntity, { ...note, id: 2 });
    });
    expect(await notes()).toEqual([1, 2]);
  });

  it('may have a part of it that fails alone, and that ends with the whole', async () => {
    const database = await connect();
    await inTransaction(database, async ({ manager, rows }) => {
      await rows(write, [1]);
      const part = manager.transaction(async (inner) => {
        await inner.insert(NoteEntity, { id: 2, text: 'undone' });
        await inner.query('SELECT 1 / 0');
      });
      await expect(part).rejects.toMatchObject({ code: '22012' });
    });
    expect(await notes()).toEqual([1]);
    const whole = inTransaction(database, async ({ manager }) => {
      await manager.transaction((inner) => inner.insert(NoteEntity, { id: 3, text: 'undone' }));
      throw new Error('of ours');
    });
    await expect(whole).rejects.toThrow('of ours');
    expect(await notes()).toEqual([1]);
  });
});

describe('work that goes on after its transaction has ended', () => {
  it('reaches no connection any more: another tenant may have it by then', async () => {
    const database = await connect();
    const left: Transaction[] = [];
    await inTransaction(database, (transaction) => Promise.resolve(left.push(transaction)));
    await inTransaction(database, (transaction) => {
      left.push(transaction);
      return Promise.reject(new Error('of ours'));
    }).catch(() => undefined);
    expect(left).toHaveLength(2);
    for (const { rows, manager } of left) {
      await expect(rows(write, [1])).rejects.toThrow('the transaction has ended');
      await expect(manager.query('SELECT 1')).rejects.toThrow('released');
    }
    expect(await notes()).toEqual([]);
  });

  it('is waited for as far as it was under way: its writes are rolled back', async () => {
    const database = await connect();
    const failed = inTransaction(database, ({ rows }) =>
      Promise.all([rows(wait, [0.05]).then(() => rows(write, [1])), rows(divide, [0])]),
    );
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    await inTransaction(database, ({ rows }) => rows(wait, [0.1]));
    expect(await notes()).toEqual([]);
  });
});

describe('a lost connection', () => {
  it.each(['in a query', 'between two queries', 'before the commit'])(
    'fails the transaction with its own code: %s',
    async (when) => {
      const database = await connect();
      const failed = inTransaction(database, async ({ rows }) => {
        await rows(write, [1]);
        const backend = await pid(rows);
        if (when === 'in a query') {
          await Promise.all([rows(wait, [30]), terminate(backend)]);
        } else {
          await terminate(backend);
          if (when === 'between two queries') await rows(one, []);
        }
      });
      await expect(failed).rejects.toMatchObject({ code: '57P01' });
      expect(await notes()).toEqual([]);
      await inTransaction(database, ({ rows }) => rows(write, [2]));
      expect(await notes()).toEqual([2]);
      expect(await connections()).toEqual(['idle']);
    },
  );

  it('fails the transaction with its own code, also through the manager', async () => {
    const database = await connect();
    const failed = inTransaction(database, async ({ rows, manager }) => {
      await terminate(await pid(rows));
      await manager.save(NoteEntity, { id: 1, text: 'a' });
    });
    await expect(failed).rejects.toMatchObject({ code: '57P01' });
    expect(await notes()).toEqual([]);
  });

  it('is noticed when it falls silent, and replaced', async () => {
    const line = await SilentLine.to(url);
    const database = await connect(1, 100, line.url);
    const silenced = inTransaction(database, async ({ rows }) => {
      line.silence();
      await rows(one, []);
    });
    await expect(silenced).rejects.toThrow(/silent for|terminated/);
    expect(await database.rows(one, [])).toEqual([{ one: 1 }]);
    line.close();
  });

  it('is replaced when nobody was using it', async () => {
    const database = await connect(2);
    const rows: Transaction['rows'] = (asked, values) => database.rows(asked, values);
    await terminate(await pid(rows));
    await new Promise(setImmediate);
    expect(await rows(one, [])).toEqual([{ one: 1 }]);
  });
});

describe('a statement outside a transaction', () => {
  it('is parsed once a connection', async () => {
    const database = await connect();
    const prepared = statement<{ names: string[] }>(
      'spec.prepared',
      'SELECT array_agg(name ORDER BY name) AS names FROM pg_prepared_statements',
    );
    await database.rows(one, []);
    await database.rows(one, []);
    expect(await database.rows(prepared, [])).toEqual([
      { names: ['database.spec.one', 'spec.prepared'] },
    ]);
  });

  it('fails with the code of PostgreSQL, and the next one is served', async () => {
    const database = await connect();
    await expect(database.rows(divide, [0])).rejects.toMatchObject({ code: '22012' });
    expect(await database.rows(one, [])).toEqual([{ one: 1 }]);
  });

  it('is given up past the longest time a statement may take', async () => {
    const database = await connect(1, 50);
    await expect(database.rows(wait, [30])).rejects.toMatchObject({ code: '57014' });
    expect(await database.rows(one, [])).toEqual([{ one: 1 }]);
  });
});
