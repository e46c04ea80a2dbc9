import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, newSandboxId } from '@postroom/contracts';
import { Database, statement } from '@postroom/persistence';
import { tenantPolicy } from '@postroom/persistence/provision';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { moveClock, onClock, workspaceNow } from './clocks.js';
import type { Origin } from './context.js';
import { serviceSchema } from './schema.js';
import { UnitOfWork } from './unit-of-work.js';

const waits = serviceSchema({
  name: 'waits',
  migrations: [
    {
      name: 'waits',
      sql: `
        CREATE TABLE waits (
          tenant_id text COLLATE "C" NOT NULL, id integer NOT NULL, done boolean NOT NULL DEFAULT false,
          due timestamptz, due_ms bigint, own timestamptz, seen integer NOT NULL DEFAULT 0
        );
        CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.seen := OLD.seen + 1; RETURN NEW; END $$;
        CREATE TRIGGER see BEFORE UPDATE OF own ON waits FOR EACH ROW EXECUTE FUNCTION see();
        ${tenantPolicy('waits')}`,
    },
  ],
  timed: [
    { table: 'waits', column: 'due', clock: 'real', where: 'NOT t.done' },
    { table: 'waits', column: 'due_ms', clock: 'real', isMillis: true, where: 'NOT t.done' },
    { table: 'waits', column: 'own', clock: 'own', where: 'NOT t.done' },
  ],
});

const hourMs = 3_600_000;
const since = '2026-01-01T00:00:00.000Z';

describe('the clock of a sandbox', () => {
  let test: TestDatabase<'waits'>;
  let database: Database;
  let work: UnitOfWork;
  let tenantId: string;

  beforeAll(async () => {
    test = await createTestDatabase([waits]);
    database = await Database.connect({ url: test.urls.waits, schema: 'waits', entities: [] });
    work = new UnitOfWork(database);
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });
  beforeEach(() => {
    tenantId = newSandboxId();
  });

  const origin = (tenant = tenantId): Origin => ({
    ...{ tenantId: tenant, actor: { type: 'system', id: null }, source: 'automation' },
  });
  const move = (aheadMs: number) => moveClock(database, tenantId, { aheadMs, since });
  const put = statement<object>(
    'spec.put',
    `INSERT INTO waits (tenant_id, id, due, due_ms, own) SELECT $1, w.id,
       CASE w.kind WHEN 0 THEN now() + w.after * interval '1 ms' END,
       CASE w.kind WHEN 1 THEN (extract(epoch FROM now()) * 1000)::bigint + w.after END,
       CASE w.kind WHEN 2 THEN workspace_now($1) + w.after * interval '1 ms' END
     FROM json_to_recordset($2) AS w (id integer, kind integer, after bigint)`,
  );
  const takeDue = statement<{ id: number }>(
    'spec.take_due',
    `UPDATE waits SET done = true WHERE tenant_id = $1 AND NOT done
       AND (due <= now() OR to_timestamp(due_ms / 1000.0) <= now() OR own <= workspace_now($1))
     RETURNING id`,
  );
  const waiting = (all: readonly (readonly [kind: number, afterMs: number])[], tenant = tenantId) =>
    work.change(origin(tenant), null, async ({ rows }) => {
      const given = all.map(([kind, after], id) => ({ id, kind, after }));
      return { value: await rows(put, [JSON.stringify(given)]) };
    });
  const due = (tenant = tenantId) =>
    work.change(origin(tenant), null, async ({ rows }) => ({
      value: (await rows(takeDue, [])).map(({ id }) => id),
    }));
  const at = (tenant = tenantId) =>
    work.change(origin(tenant), null, async (changing) => ({ value: changing.at.getTime() }));

  it('is ahead for its changes and reads, and for those of no other workspace', async () => {
    const other = newId('ten');
    await move(hourMs);
    const reading = {
      tenantId,
      rows: <R extends object>(query: { name: string; text: string }, values: readonly unknown[]) =>
        database.rows<R>(query, [tenantId, ...values]),
    };
    for (const ms of [await at(), (await workspaceNow(reading)).getTime()]) {
      expect(Math.abs(ms - Date.now() - hourMs)).toBeLessThan(60_000);
    }
    expect(Math.abs((await at(other)) - Date.now())).toBeLessThan(60_000);
  });

  it('makes what waits due once, in the order of time, stop by stop, wherever it is moved from', async () => {
    const other = newId('ten');
    const kinds = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 1_000 }));
    const property = fc.asyncProperty(
      fc.array(kinds, { minLength: 1, maxLength: 8 }),
      async (given) => {
        tenantId = newSandboxId();
        await move(7 * hourMs);
        // A minute at least between any two: the real time goes on meanwhile.
        const places = given.map(([kind, minutes]) => [kind, minutes * 60_000] as const);
        await waiting(places);
        const done: number[] = [];
        for (let look = await move(0); look.nextMs !== null;) {
          look = await move(Math.ceil(look.nextMs - Date.now()));
          for (let tries = 0; look.isBusy && tries < 100; tries += 1) {
            done.push(...(await due()));
            look = await move(0);
          }
          // A repeat of the same move changes nothing.
          expect((await move(look.aheadMs)).aheadMs).toBe(look.aheadMs);
        }
        expect(done).toHaveLength(places.length);
        const times = done.map((id) => places[id]?.[1] ?? 0);
        expect(times).toEqual(times.toSorted((one, next) => one - next));
      },
    );
    await waiting([[0, hourMs]], other);
    await fc.assert(property, { numRuns: repetitions(50, 5) });
    expect(await due(other)).toEqual([]);
  });

  it('does not move while a change of its workspace is under way, and wakes who waits for it', async () => {
    const order: string[] = [];
    const stop = onClock(database, () => order.push('woken'));
    let moving: Promise<unknown> = Promise.resolve();
    await work.change(origin(), null, async (changing) => {
      moving = move(hourMs).then(() => order.push('moved'));
      await changing.rows(statement<object>('spec.sleep', 'SELECT pg_sleep(0.2), $1::text'), []);
      order.push('changed');
      return { value: undefined };
    });
    await moving;
    stop();
    expect(order).toEqual(['changed', 'woken', 'moved']);
  });

  it('writes what passes by its own time again, so that triggers see it, and nothing else', async () => {
    await waiting([
      [2, hourMs],
      [2, 3 * hourMs],
    ]);
    await move(2 * hourMs);
    const seen = statement<{ seen: number }>(
      'spec.seen',
      'SELECT seen FROM waits WHERE tenant_id = $1 ORDER BY id',
    );
    const rows = await work.readOnly({ tenantId }, (transaction) => transaction.rows(seen, []));
    expect(rows).toEqual([{ seen: 1 }, { seen: 0 }]);
  });
});
