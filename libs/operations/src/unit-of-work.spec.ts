import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { conversations, newId, Problem } from '@postroom/contracts';
import type { Changing, Origin } from './context.js';
import {
  bump,
  bumpCounter,
  commentAnd,
  commentInput,
  CounterEntity,
  handlerOf,
  keyCaller,
  Ledger,
  nothing,
} from './testing/ledger.js';
import { commented } from './testing/payloads.js';
import type { Claim } from './recording.js';
import { AlreadyAnswered, NeededFirst, UnitOfWork } from './unit-of-work.js';

const originOf = (tenantId = newId('ten')): Origin => ({
  tenantId,
  actor: { type: 'system', id: null },
  source: 'inbound',
});

const claimOf = (over: Partial<Claim> = {}): Claim => ({
  dedupeKey: `message ${newId('req')}`,
  messageId: newId('req'),
  fingerprint: 'f',
  ...over,
});

describe('a unit of work', () => {
  let ledger: Ledger;
  let work: UnitOfWork;
  beforeAll(async () => {
    ledger = await Ledger.open();
    work = new UnitOfWork(ledger.database);
  });
  afterAll(() => ledger.close());

  const event = {
    type: 'conversation.assigned',
    resource: { type: 'conversation', id: 'cnv_1' },
    sequence: 1,
    data: { conversation: commented('cnv_1').conversation },
    previous: { assignee: 'sam@acme.test' },
  } as const;

  it('makes changes, events, the audit record and the reply one commit, under one tenant', async () => {
    const origin = originOf();
    const value = await work.change(origin, claimOf(), async (changing) => {
      await bump(changing, 'a counter');
      changing.emit(event);
      return {
        value: 'done',
        reply: { status: 200, body: '{}' },
        audit: { action: 'spec', subjectId: null, requestId: null },
      };
    });
    expect(value).toBe('done');
    expect(await ledger.holdings(origin.tenantId)).toEqual({
      effects: 1,
      events: 1,
      audits: 1,
      replies: 1,
    });
    const commits = await ledger.sql<{ xmin: string }>(
      `SELECT xmin::text FROM counters WHERE tenant_id = $1
       UNION SELECT xmin::text FROM outbox WHERE tenant_id = $1
       UNION SELECT xmin::text FROM audit_records WHERE tenant_id = $1
       UNION SELECT xmin::text FROM replies WHERE tenant_id = $1`,
      [origin.tenantId],
    );
    expect(commits).toHaveLength(1);
    const [kept] = await ledger.sql<{ envelope: string }>(
      'SELECT envelope FROM outbox WHERE tenant_id = $1',
      [origin.tenantId],
    );
    expect(JSON.parse(kept?.envelope ?? '')).toMatchObject({
      actor: { type: 'system', id: null },
      source: 'inbound',
      data: event.data,
      previous: event.previous,
    });
  });

  it('without a claim, an event or an audit record keeps what was changed alone', async () => {
    const origin = originOf();
    await work.change(origin, null, async (changing) => {
      await changing.manager.insert(CounterEntity, { ...origin, id: 'a counter', value: 7 });
      return { value: null };
    });
    expect(await ledger.holdings(origin.tenantId)).toEqual({ ...nothing, effects: 7 });
  });

  it('keeps an event alone, and an audit record alone', async () => {
    const origin = originOf();
    await work.change(origin, null, (changing) => {
      changing.emit(event);
      return Promise.resolve({ value: null });
    });
    await work.change(origin, null, () =>
      Promise.resolve({
        value: null,
        audit: { action: 'key.refused', subjectId: 'key_1', requestId: 'r' },
      }),
    );
    expect(await ledger.holdings(origin.tenantId)).toEqual({ ...nothing, events: 1, audits: 1 });
  });

  it('keeps an audit record of each thing that was changed, with how long the request took', async () => {
    const origin = originOf();
    const subjects = ['evt_1', 'evt_2', 'evt_3'];
    const audit = subjects.map((subjectId) => ({
      ...{ action: 'invitations.apply', subjectId, requestId: 'msg_1', durationMs: 7 },
    }));
    await work.change(origin, null, () => Promise.resolve({ value: null, audit }));
    await work.change(origin, null, () => Promise.resolve({ value: null, audit: [] }));
    const kept = await ledger.sql(
      'SELECT subject_id, duration_ms FROM audit_records WHERE tenant_id = $1 ORDER BY subject_id',
      [origin.tenantId],
    );
    expect(kept).toEqual(subjects.map((subject_id) => ({ subject_id, duration_ms: 7 })));
  });

  it('keeps what is sent last with the rest, or nothing', async () => {
    const origin = originOf();
    const bumped = (last: (changing: Changing) => Promise<unknown>): Promise<null> =>
      work.change(origin, null, async (changing) => {
        changing.last(() => last(changing));
        await bump(changing, 'a counter');
        return { value: null };
      });
    await bumped((changing) => bump(changing, 'last'));
    expect(await ledger.holdings(origin.tenantId)).toMatchObject({ effects: 2 });
    const refused = bumped(({ rows }) => rows(bumpCounter, [null]));
    await expect(refused).rejects.toThrow('null value');
    expect(await ledger.holdings(origin.tenantId)).toMatchObject({ effects: 2 });
  });

  it('keeps an event apart with what stands beside it, or neither, and the change either way', async () => {
    const origin = originOf();
    const run = (sequence: number, name: string): Promise<boolean> =>
      work.change(origin, null, async (changing) => {
        await bump(changing, 'a counter');
        const beside = () => [changing.rows(bumpCounter, [name])];
        const value = await changing.emitInSavepoint({ ...event, sequence }, beside);
        await bump(changing, 'a counter');
        return { value };
      });
    expect(await run(1, 'beside')).toBe(true);
    // The number is taken: the outbox refuses the event.
    expect(await run(1, 'never')).toBe(false);
    expect(await ledger.holdings(origin.tenantId)).toMatchObject({ effects: 5, events: 1 });
    const counters = await ledger.sql('SELECT id, value FROM counters WHERE tenant_id = $1', [
      origin.tenantId,
    ]);
    expect(counters).toHaveLength(2);
  });

  it('hands out the reply that its claim was given before, and does not run the work', async () => {
    const origin = originOf();
    const claim = claimOf();
    const answer = (body: string) =>
      work.change(origin, claim, () =>
        Promise.resolve({ value: body, reply: { status: 201, body } }),
      );
    await answer('first');
    const again = await answer('second').catch((error: unknown) => error);
    expect(again).toBeInstanceOf(AlreadyAnswered);
    expect(again).toMatchObject({
      claim,
      recorded: {
        message_id: claim.messageId,
        fingerprint: claim.fingerprint,
        status: 201,
        body: 'first',
      },
    });
  });

  it('keeps several events with its reply, in the order in which they were emitted', async () => {
    const origin = originOf();
    await work.change(origin, claimOf(), ({ emit }) => {
      for (const sequence of [1, 2, 3]) emit({ ...event, sequence });
      return Promise.resolve({ value: null, reply: { status: 200, body: '{}' } });
    });
    expect(await ledger.holdings(origin.tenantId)).toMatchObject({ events: 3, replies: 1 });
    const kept = await ledger.sql<{ sequence: string }>(
      'SELECT sequence FROM outbox WHERE tenant_id = $1 ORDER BY position',
      [origin.tenantId],
    );
    expect(kept.map(({ sequence }) => sequence)).toEqual(['1', '2', '3']);
  });

  it('begins again, at the same time, with what it needed first, obtained with no transaction open', async () => {
    const fresh = await Ledger.open({ poolSize: 1 });
    try {
      const origin = originOf();
      const known = new Map<string, number>();
      const times = new Set<number>();
      const claim = claimOf();
      const add = (changing: Changing) =>
        Promise.all(['first', 'second'].map((id) => bump(changing, id)));
      const done = new UnitOfWork(fresh.database).change(origin, claim, async (changing) => {
        const [, second] = await add(changing);
        times.add(changing.at.getTime());
        // With the only connection still held, this query would never be answered.
        const obtain = async () => {
          await fresh.database.dataSource.query('SELECT pg_sleep(0.01)');
          known.set(`answer ${known.size}`, second ?? 0);
        };
        if (known.size < 2) throw new NeededFirst(obtain);
        return { value: [...known.values()], reply: { status: 200, body: '{}' } };
      });
      // Each time it found nothing of what it had done before.
      expect(await done).toEqual([1, 1]);
      expect(times.size).toBe(1);
      expect(await fresh.holdings(origin.tenantId)).toMatchObject({ effects: 2, replies: 1 });
    } finally {
      await fresh.close();
    }
  });

  it('is refused with what obtaining was refused with, and leaves nothing', async () => {
    const origin = originOf();
    const refusing = work.change(origin, claimOf(), async (changing) => {
      await bump(changing, 'a counter');
      throw new NeededFirst(() => Promise.reject(new Problem('SERVICE_UNAVAILABLE')));
    });
    await expect(refusing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await ledger.holdings(origin.tenantId)).toEqual(nothing);
  });

  it('makes every change of it at one time', async () => {
    const before = Date.now();
    const times: Date[] = [];
    await work.change(originOf(), null, async (changing) => {
      times.push(changing.at);
      await new Promise((resolve) => setTimeout(resolve, 20));
      times.push(changing.at);
      return { value: null };
    });
    expect(times[0]).toBe(times[1]);
    expect(times[0]?.getTime()).toBeGreaterThanOrEqual(before);
  });
});

// Over one connection, so that every round trip counted is one of the call in question.
describe('the round trips to PostgreSQL', () => {
  const operation = conversations.comment;
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open({ poolSize: 1 });
  });
  beforeEach(async () => {
    // The connection is made.
    await ledger.run(operation, commentAnd());
    ledger.line.trips();
  });
  afterAll(() => ledger.close());

  async function tripsOf(work: () => Promise<unknown>): Promise<number> {
    await work();
    return ledger.line.trips();
  }

  it('of a write of one statement are three: its beginning, the statement, its end', async () => {
    expect(await tripsOf(() => ledger.run(operation, commentAnd()))).toBe(3);
  });

  it('grow by none with an Idempotency-Key, an event, an audit record and a recorded reply', async () => {
    const keyed = await tripsOf(() =>
      ledger.run(operation, commentAnd(), { key: 'a key of mine' }),
    );
    expect(keyed).toBe(3);
  });

  it('are the same the first time, when the statements are yet to be parsed', async () => {
    const fresh = await Ledger.open({ poolSize: 1 });
    await fresh.database.rows(bumpCounter, ['', '']).catch(() => undefined);
    await fresh.database.dataSource.query('SELECT 1');
    fresh.line.trips();
    await fresh.run(operation, commentAnd(), { key: 'a key of mine' });
    expect(fresh.line.trips()).toBe(3);
    await fresh.close();
  });

  it('of a replay are two: it is looked up, and nothing is kept', async () => {
    const call = { caller: keyCaller(), input: commentInput(), key: 'a key of mine' };
    await ledger.run(operation, commentAnd(), call);
    ledger.line.trips();
    expect(await tripsOf(() => ledger.run(operation, commentAnd(), call))).toBe(2);
  });

  it('of a write that is refused are as many, and of one that claims nothing too', async () => {
    const refusing = commentAnd(() => {
      throw new Problem('CONVERSATION_NOT_FOUND');
    });
    expect(await tripsOf(() => ledger.run(operation, refusing, { key: 'a key of mine' }))).toBe(3);
    expect(await tripsOf(() => ledger.run(operation, commentAnd(), { preview: true }))).toBe(3);
  });

  it('grow with the statements of the handler, and not with what leaves at once', async () => {
    const two = commentAnd((context) => bump(context, 'another'));
    expect(await tripsOf(() => ledger.run(operation, two))).toBe(4);
    const together = commentAnd((context) =>
      Promise.all([bump(context, 'one'), bump(context, 'two'), bump(context, 'three')]),
    );
    expect(await tripsOf(() => ledger.run(operation, together))).toBe(4);
  });

  it('of a read of one statement are one', async () => {
    const reading = handlerOf(conversations.list, async ({ rows }, { mailbox }) => {
      await rows(bumpCounter, ['read']).catch(() => undefined);
      return { mailbox, conversations: [], nextPageToken: null };
    });
    expect(await tripsOf(() => ledger.run(conversations.list, reading))).toBe(1);
  });
});
