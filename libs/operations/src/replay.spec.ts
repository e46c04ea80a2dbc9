import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReplyEnvelope } from '@postroom/bus';
import { conversations, keys, newId, Problem, type NewKey } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { EngineHandler } from './context.js';
import {
  bump,
  comment,
  commentAnd,
  commentInput,
  handlerOf,
  keyCaller,
  Ledger,
  type Call,
} from './testing/ledger.js';

const operation = conversations.comment;
const key = 'a key of mine';
const hit = { 'x-svc-idempotency': 'hit' };
const reused = {
  status: 409,
  problem: 'IDEMPOTENCY_KEY_REUSED',
  headers: { 'x-svc-idempotency': 'key-reused' },
};
const duplicate = { status: 409, problem: 'DUPLICATE_IN_PROGRESS' };

const purgeReplies = statement<{ purged: string }>(
  'spec.purge_replies',
  'SELECT purge_replies() AS purged',
);

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
afterAll(() => ledger.close());

/** A call of a workspace of its own. */
const newCall = (): Required<Pick<Call, 'caller' | 'input' | 'key'>> => ({
  caller: keyCaller(),
  input: commentInput(),
  key,
});

const comments = (call: Call, handler: EngineHandler = commentAnd()): Promise<ReplyEnvelope> =>
  ledger.run(operation, handler, call);

/** A handler that stops after its effect, until it is told to go on. */
function held() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: free, resolve: release, reject: fail } = Promise.withResolvers<void>();
  const handler = commentAnd(async () => {
    reach();
    await free;
  });
  return { handler, reached, release, fail };
}

const expire = (tenantId: string) =>
  ledger.sql(`UPDATE replies SET expires_at = now() - interval '1 s' WHERE tenant_id = $1`, [
    tenantId,
  ]);

async function purge(): Promise<number> {
  const [row] = await ledger.database.rows(purgeReplies, []);
  return Number(row?.purged);
}

describe('an Idempotency-Key', () => {
  it('given again with the same input is answered with the same bytes, and runs nothing', async () => {
    const call = newCall();
    let runs = 0;
    const counted = commentAnd((context) => {
      runs += 1;
      context.header('x-of-the-handler', 'once');
    });
    const first = await comments(call, counted);
    const again = await comments({ ...call }, counted);
    const reordered = Object.fromEntries(Object.entries(call.input).reverse());
    const spelledOtherwise = await comments({ ...call, input: reordered }, counted);
    expect(first).toMatchObject({ status: 200, headers: { 'x-of-the-handler': 'once' } });
    for (const { status, problem, headers, body } of [again, spelledOtherwise]) {
      expect({ status, problem, headers }).toEqual({ status: 200, problem: null, headers: hit });
      expect(body.equals(first.body)).toBe(true);
    }
    expect(runs).toBe(1);
    expect(await ledger.holdings(call.caller.tenantId)).toEqual({
      effects: 1,
      events: 1,
      audits: 1,
      replies: 1,
    });
  });

  it('given again with another input is a conflict', async () => {
    const call = newCall();
    await comments(call);
    const answer = await comments({ ...call, input: { ...call.input, text: 'another' } });
    expect(answer).toMatchObject(reused);
    expect(answer.body.toString()).toBe('{"violations":[]}');
    expect(await ledger.holdings(call.caller.tenantId)).toMatchObject({ effects: 1, replies: 1 });
    expect((await comments(call)).headers).toEqual(hit);
  });

  it('never meets the id of a message, whatever its text', async () => {
    const { caller, input } = newCall();
    await comments({ caller, key: 'message req_1', input });
    const message = await comments({ caller, input, messageId: 'req_1' });
    expect(message).toMatchObject({ status: 200, headers: {} });
  });

  it('given 50 times at once has one effect', async () => {
    const call = newCall();
    let runs = 0;
    const slow = commentAnd(async () => {
      runs += 1;
      await sleep(20);
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => comments(call, slow)));
    const fresh = answers.filter(
      ({ status, headers }) => status === 200 && !headers['x-svc-idempotency'],
    );
    const rest = answers.filter((answer) => !fresh.includes(answer));
    expect(fresh).toHaveLength(1);
    for (const { status, problem, headers, body } of rest) {
      if (problem === 'DUPLICATE_IN_PROGRESS') expect(status).toBe(409);
      else expect([headers, body.toString()]).toEqual([hit, fresh[0]?.body.toString()]);
    }
    expect(runs).toBe(1);
    expect(await ledger.holdings(call.caller.tenantId)).toEqual({
      effects: 1,
      events: 1,
      audits: 1,
      replies: 1,
    });
  });

  it('whose first call is under way is waited for about 2 s, then a conflict that may be repeated', async () => {
    ledger.logged();
    const call = newCall();
    const { handler, reached, release } = held();
    const first = comments(call, handler);
    await reached;
    const started = performance.now();
    const [second, other] = await Promise.all([
      comments(call),
      comments({ ...call, input: commentInput() }),
    ]);
    const waitedMs = performance.now() - started;
    expect(second).toMatchObject(duplicate);
    expect(other).toMatchObject(duplicate);
    expect(waitedMs).toBeGreaterThan(1_900);
    // The role of another service could hold one.
    expect(await ledger.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([]);
    const waits = `SELECT claim_key('ten_spec', 'k') AS reply, current_setting('lock_timeout') AS most`;
    expect(await ledger.sql(waits)).toEqual([{ reply: null, most: '2s' }]);
    release();
    expect(await first).toMatchObject({ status: 200, headers: {} });
    expect(await comments(call)).toMatchObject({ status: 200, headers: hit });
    expect(ledger.logged()).toEqual([]);
  });

  it('whose first call ends meanwhile is answered at once: a hit, or its turn when that one failed', async () => {
    const call = newCall();
    const { handler, reached, release } = held();
    const first = comments(call, handler);
    await reached;
    const second = comments(call);
    await sleep(50);
    release();
    expect(await first).toMatchObject({ status: 200, headers: {} });
    expect(await second).toMatchObject({ status: 200, headers: hit });

    const next = newCall();
    const failing = held();
    const refused = comments(next, failing.handler);
    await failing.reached;
    const turn = comments(next);
    await sleep(50);
    failing.fail(new Problem('VERSION_CONFLICT'));
    expect(await refused).toMatchObject({ status: 409, problem: 'VERSION_CONFLICT' });
    expect(await turn).toMatchObject({ status: 200, headers: {} });
    expect(await ledger.holdings(next.caller.tenantId)).toMatchObject({ effects: 1 });
  });

  it('is kept 24 h, and then free for any input', async () => {
    const call = newCall();
    await comments(call);
    expect(
      await ledger.sql(
        `SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM replies
         WHERE tenant_id = $1`,
        [call.caller.tenantId],
      ),
    ).toEqual([{ hours: 24 }]);
    await expire(call.caller.tenantId);
    const other = { ...call, input: commentInput() };
    expect(await comments(other)).toMatchObject({ status: 200, headers: {} });
    expect(await comments(other)).toMatchObject({ status: 200, headers: hit });
    expect(await comments(call)).toMatchObject(reused);
  });

  it('that has expired is free for one of many at once', async () => {
    const call = newCall();
    await comments(call);
    await expire(call.caller.tenantId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => comments(call)));
    expect(answers.filter(({ headers }) => !headers['x-svc-idempotency'])).toHaveLength(1);
    expect(await ledger.holdings(call.caller.tenantId)).toMatchObject({ effects: 2 });
  });
});

describe('a redelivered message', () => {
  it.each([{}, { key }])(
    'is answered as before and not as a repeat, and runs nothing (%j)',
    async (given) => {
      const { caller, input } = newCall();
      const request = ledger.request(operation, { caller, input, ...given });
      const first = await ledger.engine.handleRequest(request, commentAnd());
      const again = await ledger.engine.handleRequest(request, commentAnd());
      expect(again).toEqual(first);
      expect(again.headers).toEqual({});
      expect(await ledger.holdings(caller.tenantId)).toEqual({
        effects: 1,
        events: 1,
        audits: 1,
        replies: 1,
      });
    },
  );

  it('delivered twice at once has one effect', async () => {
    const caller = keyCaller();
    const request = ledger.request(operation, { caller });
    const answers = await Promise.all([
      ledger.engine.handleRequest(
        request,
        commentAnd(() => sleep(20)),
      ),
      ledger.engine.handleRequest(
        request,
        commentAnd(() => sleep(20)),
      ),
    ]);
    expect(answers[0]).toEqual(answers[1]);
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, replies: 1 });
  });

  it('is waited for however long the first takes: it is no conflict with itself', async () => {
    const caller = keyCaller();
    const request = ledger.request(operation, { caller });
    const { handler, reached, release } = held();
    const first = ledger.engine.handleRequest(request, handler);
    await reached;
    const again = ledger.engine.handleRequest(request, commentAnd());
    await sleep(2_500);
    release();
    expect(await again).toEqual(await first);
    expect(await first).toMatchObject({ status: 200 });
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, replies: 1 });
  });

  it('that was refused the first time may succeed', async () => {
    const request = ledger.request(operation, { caller: keyCaller() });
    const refusing = commentAnd(() => {
      throw new Problem('CONVERSATION_NOT_FOUND');
    });
    expect(await ledger.engine.handleRequest(request, refusing)).toMatchObject({ status: 404 });
    expect(await ledger.engine.handleRequest(request, commentAnd())).toMatchObject({ status: 200 });
  });

  it('is another call with another message id: without a key, nothing makes it a repeat', async () => {
    const { caller, input } = newCall();
    await comments({ caller, input });
    await comments({ caller, input });
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 2, replies: 2 });
  });
});

describe('purging replies', () => {
  it('deletes those that have expired, of every tenant, and no other', async () => {
    await purge();
    const calls = [newCall(), newCall(), newCall()];
    for (const call of calls) await comments(call);
    const [old, alsoOld, young] = calls.map(({ caller }) => caller.tenantId);
    await expire(old ?? '');
    await expire(alsoOld ?? '');
    expect(await purge()).toBe(2);
    expect(await ledger.holdings(old ?? '')).toMatchObject({ effects: 1, replies: 0 });
    expect(await ledger.holdings(alsoOld ?? '')).toMatchObject({ replies: 0 });
    expect(await ledger.holdings(young ?? '')).toMatchObject({ replies: 1 });
    expect(await purge()).toBe(0);
  });

  it('takes a thousand at a time', async () => {
    await purge();
    await ledger.sql(
      `INSERT INTO replies (tenant_id, dedupe_key, message_id, fingerprint, expires_at)
       SELECT 'ten_' || n % 7, 'key ' || n, 'req', 'f', now() - interval '1 h'
       FROM generate_series(1, 1200) n`,
    );
    expect([await purge(), await purge(), await purge()]).toEqual([1_000, 200, 0]);
  });

  it('keeps an expired one that is being taken anew: its reply stays', async () => {
    const call = newCall();
    await comments(call);
    await expire(call.caller.tenantId);
    const { handler, reached, release } = held();
    const taking = comments(call, handler);
    await reached;
    // It has chosen what is old, and now waits for the row that the call holds.
    const purging = purge();
    await sleep(100);
    release();
    const taken = await taking;
    expect(await purging).toBe(0);
    const again = await comments(call);
    expect(again).toMatchObject({ status: 200, headers: hit });
    expect(again.body.equals(taken.body)).toBe(true);
  });

  it('shows no reply to whoever is no caller of its tenant', async () => {
    await comments(newCall());
    const all = statement<object>('spec.all_replies', 'SELECT * FROM replies');
    expect(await ledger.database.rows(all, [])).toEqual([]);
    let seen: object[] = [];
    const caller = keyCaller();
    const looking = handlerOf(operation, async (context, input) => {
      const answer = await comment(context, input);
      seen = await context.manager.query('SELECT tenant_id FROM replies');
      return answer;
    });
    await comments({ caller });
    await comments({ caller }, looking);
    expect(seen).toEqual([{ tenant_id: caller.tenantId }]);
  });
});

describe('an operation whose answer holds a secret', () => {
  const secret = 'pr_human_shown_this_once';
  const create = handlerOf(keys.create, async (context) => {
    await bump(context, 'key');
    return { secret } as NewKey;
  });

  it('is answered once, done once, and leaves no copy of the secret', async () => {
    const { caller, input } = newCall();
    const call = { caller, input, messageId: newId('req') };
    const first = await ledger.run(keys.create, create, call);
    expect(first.body.toString()).toContain(secret);
    expect(await ledger.run(keys.create, create, call)).toMatchObject(duplicate);
    const { tenantId } = call.caller;
    expect(await ledger.holdings(tenantId)).toMatchObject({ effects: 1, replies: 1 });
    expect(await ledger.sql('SELECT body FROM replies WHERE tenant_id = $1', [tenantId])).toEqual([
      { body: null },
    ]);
  });
});
