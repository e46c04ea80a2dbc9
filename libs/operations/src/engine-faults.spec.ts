import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { conversations } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { until } from '@postroom/testing/until';
import type { Reading } from './context.js';
import {
  bump,
  commentAnd,
  commentInput,
  handlerOf,
  keyCaller,
  Ledger,
  nothing,
} from './testing/ledger.js';

const operation = conversations.comment;
const notNow = { status: 503, problem: 'SERVICE_UNAVAILABLE', headers: {} };
const hit = { 'x-svc-idempotency': 'hit' };

const pidOf = statement<{ pid: number }>(
  'spec.pid',
  'SELECT pg_backend_pid() AS pid WHERE $1 <> $2',
);
const wait = statement<object>('spec.wait', 'SELECT pg_sleep($2) WHERE $1 <> $3');

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
beforeEach(() => {
  ledger.logged();
});
afterAll(() => ledger.close());

/** Ends the connection that runs this, as an administrator does, while `meanwhile` goes on. */
async function terminate(
  { rows }: Pick<Reading, 'rows'>,
  meanwhile: () => unknown = () => undefined,
): Promise<void> {
  const [row] = await rows(pidOf, ['']);
  const ended = ledger.sql('SELECT pg_terminate_backend($1, 5000)', [row?.pid]);
  await Promise.all([meanwhile(), ended]);
}

/** The service is well again, and the key of a call that came to nothing is free. */
async function expectFresh(call: { caller: ReturnType<typeof keyCaller>; key: string }) {
  expect(await ledger.holdings(call.caller.tenantId)).toEqual(nothing);
  expect(await ledger.run(operation, commentAnd(), call)).toMatchObject({
    status: 200,
    headers: {},
  });
}

const newCall = () => ({ caller: keyCaller(), input: commentInput(), key: 'a key of mine' });

describe('a connection that an administrator ends during a write', () => {
  it.each<[string, Parameters<typeof commentAnd>[0]]>([
    ['in a statement', (context) => terminate(context, () => context.rows(wait, [30, '']))],
    [
      'between two statements',
      async (context) => {
        await terminate(context);
        await bump(context, 'another');
      },
    ],
    [
      'between two statements of TypeORM',
      async (context) => {
        await terminate(context);
        await context.manager.query('SELECT 1');
      },
    ],
    ['before its commit', (context) => terminate(context)],
  ])('is "not now", and leaves nothing: %s', async (_when, more) => {
    const call = newCall();
    expect(await ledger.run(operation, commentAnd(more), call)).toMatchObject(notNow);
    await expectFresh(call);
  });

  it('is "not now" for a read as well', async () => {
    // The pool hands out the connection that came back last: the one whose number is asked.
    const reading = handlerOf(conversations.list, async (context) => {
      await terminate(context, () => context.rows(wait, [30, '']));
      return { mailbox: 'support@acme.test', conversations: [], nextPageToken: null };
    });
    expect(await ledger.run(conversations.list, reading)).toMatchObject(notNow);
  });
});

describe('trouble of PostgreSQL that passes', () => {
  it('a row that another transaction keeps locked: not now, and no duplicate', async () => {
    const call = newCall();
    await ledger.run(operation, commentAnd(), { ...call, key: 'another key' });
    await ledger.sql('BEGIN');
    await ledger.sql('SELECT FROM counters WHERE id = $1 FOR UPDATE', [call.input.id]);
    const impatient = handlerOf(operation, async (context) => {
      await context.manager.query(`SET LOCAL lock_timeout = '50ms'`);
      await bump(context, call.input.id);
      throw new Error('the lock was not held');
    });
    expect(await ledger.run(operation, impatient, call)).toMatchObject(notNow);
    await ledger.sql('ROLLBACK');
    expect(await ledger.run(operation, commentAnd(), call)).toMatchObject({
      status: 200,
      headers: {},
    });
  });

  it('a deadlock: one of the two is carried out, the other may be repeated', async () => {
    const caller = keyCaller();
    const met = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() };
    const crossing = (mine: 'one' | 'two', theirs: 'one' | 'two') => {
      const handler = commentAnd(async (context) => {
        await bump(context, mine);
        met[mine].resolve();
        await met[theirs].promise;
        await bump(context, theirs);
      });
      return ledger.run(operation, handler, {
        caller,
        input: commentInput(),
        key: `the key ${mine}`,
      });
    };
    const answers = await Promise.all([crossing('one', 'two'), crossing('two', 'one')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 3, replies: 1 });
  });

  it.each(['40001', '53300', '57014', '57P03', '08006'])('its code %s', async (code) => {
    const call = newCall();
    const failing = commentAnd(({ manager }) =>
      manager.query(`DO $$ BEGIN RAISE EXCEPTION 'passing' USING ERRCODE = '${code}'; END $$`),
    );
    expect(await ledger.run(operation, failing, call)).toMatchObject(notNow);
    await expectFresh(call);
  });

  it('a statement that takes too long', async () => {
    const call = newCall();
    const slow = commentAnd(async ({ manager, rows }) => {
      await manager.query(`SET LOCAL statement_timeout = '50ms'`);
      await rows(wait, [30, '']);
    });
    expect(await ledger.run(operation, slow, call)).toMatchObject(notNow);
    await expectFresh(call);
  });
});

describe('a line to PostgreSQL that is cut', () => {
  it('in the midst of a write: not now, and nothing is left', async () => {
    const call = newCall();
    const cutting = commentAnd(async (context) => {
      ledger.line.cut();
      await bump(context, 'another');
    });
    expect(await ledger.run(operation, cutting, call)).toMatchObject(notNow);
    await expectFresh(call);
  });

  it('while nobody uses it, unnoticed: not now, and the next call finds a new one', async () => {
    const call = newCall();
    ledger.line.cut();
    expect(await ledger.run(operation, commentAnd(), call)).toMatchObject(notNow);
    await expectFresh(call);
  });

  it('after the commit, before its answer: not now, and the repeat is a hit of the one effect', async () => {
    const call = newCall();
    const answering = ledger.run(
      operation,
      commentAnd(() => {
        ledger.line.loseAnswers();
      }),
      call,
    );
    const held = { effects: 1, events: 1, audits: 1, replies: 1 };
    await until(async () => (await ledger.holdings(call.caller.tenantId)).effects === 1);
    ledger.line.cut();
    expect(await answering).toMatchObject(notNow);
    expect(await ledger.holdings(call.caller.tenantId)).toEqual(held);
    expect(await ledger.run(operation, commentAnd(), call)).toMatchObject({
      status: 200,
      headers: hit,
    });
    expect(await ledger.holdings(call.caller.tenantId)).toEqual(held);
  });

  it('for good: not now, for writes and for reads', async () => {
    const gone = await Ledger.open();
    await gone.line.close();
    const reading = handlerOf(conversations.list, async ({ rows }) => {
      await rows(pidOf, ['']);
      return { mailbox: 'support@acme.test', conversations: [], nextPageToken: null };
    });
    // The first of each may still take a connection that does not know.
    for (let i = 0; i < 2; i += 1) {
      expect(await gone.run(operation, commentAnd())).toMatchObject(notNow);
      expect(await gone.run(conversations.list, reading)).toMatchObject(notNow);
    }
    const putOff = expect.objectContaining({
      level: 'warn',
      msg: 'operation failed: a resource is unavailable',
    });
    expect(gone.logged()).toEqual([putOff, putOff, putOff, putOff]);
    await gone.close();
  });
});
