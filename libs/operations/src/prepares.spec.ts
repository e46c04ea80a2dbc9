import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conversations, Problem } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { EngineHandler, Reading, Write, Writing } from './context.js';
import { callable } from './message-handler.js';
import { comment, commentInput, keyCaller, Ledger, nothing } from './testing/ledger.js';

const operation = conversations.comment;
type Context = Writing<typeof operation>;

const connections = statement<{ open: number }>(
  'spec.open_transactions',
  `SELECT count(*)::int AS open FROM pg_stat_activity
   WHERE datname = current_database() AND usename = current_user
     AND xact_start IS NOT NULL AND pid <> pg_backend_pid() AND $1 <> ''`,
);

const prepares = (handler: (reading: Reading) => unknown): EngineHandler =>
  callable(operation, { prepare: async (context) => handler(context) as Write });

describe('a handler that prepares', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    // One connection: whoever held it in a transaction would never let the preparation read.
    ledger = await Ledger.open({ poolSize: 1 });
  });
  afterAll(() => ledger.close());

  it('does its first part with no transaction open, and the second in the change', async () => {
    const caller = keyCaller();
    const input = commentInput();
    let open: number | undefined;
    const handler = prepares(async ({ rows }) => {
      open = (await rows(connections, []))[0]?.open;
      return (context: Context) => comment(context, input);
    });
    const reply = await ledger.run(operation, handler, { caller, input });
    expect(reply).toMatchObject({ status: 200, problem: null });
    expect(open).toBe(0);
    const one = { effects: 1, events: 1, audits: 1, replies: 1 };
    expect(await ledger.holdings(caller.tenantId)).toEqual(one);
  });

  it('that refuses leaves nothing behind, not even its key', async () => {
    const call = { caller: keyCaller(), key: 'a key of mine' };
    const refusing = prepares(() => Promise.reject(new Problem('CONVERSATION_NOT_FOUND')));
    const reply = await ledger.run(operation, refusing, call);
    expect(reply).toMatchObject({ status: 404, problem: 'CONVERSATION_NOT_FOUND' });
    expect(await ledger.holdings(call.caller.tenantId)).toEqual(nothing);
  });

  it('has one effect when it is repeated', async () => {
    const input = commentInput();
    const call = { caller: keyCaller(), input, key: 'a key of mine' };
    const handler = prepares(() => (context: Context) => comment(context, input));
    const first = await ledger.run(operation, handler, call);
    const again = await ledger.run(operation, handler, call);
    expect(again.body).toEqual(first.body);
    expect(await ledger.holdings(call.caller.tenantId)).toMatchObject({ effects: 1 });
  });
});
