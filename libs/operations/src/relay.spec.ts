import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { InProcessBus } from '@postroom/bus';
import { newId } from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { consumeOnce } from './inbox.js';
import { leaseBatch, completeBatch } from './outbox-shards.js';
import { listParked, releaseParked } from './outbox-repair.js';
import { bump, Ledger } from './testing/ledger.js';
import { insertEvent, Replica, waiting } from './testing/outbox.js';
import { PaperBus } from './testing/paper-bus.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, at) => at + 1);

describe('the outbox relay', () => {
  let ledger: Ledger;
  let bus: PaperBus;
  let replicas: Replica[];
  let one: Replica;
  let other: Replica;

  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    bus = new PaperBus();
    replicas = [await Replica.open(ledger), await Replica.open(ledger)];
    [one, other] = replicas as [Replica, Replica];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(replicas.map((replica) => replica.close()));
    await ledger.sql('DELETE FROM outbox');
    await ledger.sql('UPDATE outbox_shards SET owner = NULL, free_at = now()');
  });

  const empty = () => until(async () => (await waiting(ledger)) === 0);

  /** Writers at once, each telling of resources that others tell of too. */
  async function writeAtOnce(times: number, tenants: readonly string[]): Promise<void> {
    const resources = ['cnv_1', 'cnv_2', 'cnv_3', 'cnv_4', 'cnv_5'];
    await Promise.all(
      tenants.flatMap((tenant) =>
        resources.flatMap((resource) =>
          replicas.map(async (replica) => {
            for (let n = 0; n < times; n++) await replica.tell(tenant, resource);
          }),
        ),
      ),
    );
  }

  it('publishes each event as the outbox has it, with its publisher, and deletes it', async () => {
    const tenant = newId('ten');
    await one.tell(tenant, 'cnv_1');
    const [row] = await ledger.sql<Record<string, unknown>>('SELECT * FROM outbox');
    one.relay(bus);
    await empty();
    expect(bus.taken).toEqual([
      {
        id: row?.event_id,
        type: 'conversation.commented',
        tenantId: tenant,
        publisher: 'mail',
        resource: 'cnv_1',
        envelope: row?.envelope,
      },
    ]);
    expect(await ledger.sql('SELECT FROM outbox')).toEqual([]);
  });

  it('keeps the order of each resource while writers write at once', async () => {
    one.relay(bus);
    const tenants = [newId('ten'), newId('ten')];
    await writeAtOnce(10, tenants);
    await empty();
    expect([...bus.sequences().values()]).toEqual(Array.from({ length: 10 }, () => upTo(20)));
    expect(bus.taken).toHaveLength(200);
  });

  it('orders a resource by sequence, over many batches, whatever order its rows were written in', async () => {
    const tenantId = newId('ten');
    for (const sequence of upTo(250).reverse()) {
      await insertEvent(ledger, { tenantId, resource: 'cnv_1', sequence });
    }
    one.relay(bus);
    await empty();
    expect([...bus.sequences().values()]).toEqual([upTo(250)]);
  });

  it('leaves the outbox of a workspace to that workspace, and its shards to nobody', async () => {
    const [mine, theirs] = [newId('ten'), newId('ten')];
    await one.tell(mine, 'cnv_1');
    await one.tell(theirs, 'cnv_1');
    const asService = (sql: string) => one.database.dataSource.query<unknown>(sql);
    expect(await asService('SELECT tenant_id FROM outbox')).toEqual([]);
    const seen = await one.database.transaction(
      { begin: () => Promise.resolve(), commit: () => [] },
      async ({ manager }) => {
        await manager.query("SELECT set_config('postroom.tenant', $1, true)", [mine]);
        return manager.query<unknown>('SELECT tenant_id FROM outbox');
      },
    );
    expect(seen).toEqual([{ tenant_id: mine }]);
    expect(await asService('SELECT FROM outbox_shards')).toEqual([]);
    expect(await asService('UPDATE outbox_shards SET token = 0 RETURNING shard')).toEqual([[], 0]);
    await expect(asService('INSERT INTO outbox_shards (shard) VALUES (16)')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('shares the work with another one: both publish, neither reorders, nothing leaves twice', async () => {
    const buses = [new PaperBus(), new PaperBus()] as const;
    for (const each of buses) {
      // The events of both, in the order in which they reached the broker.
      each.before = async (events) => {
        await sleep(2);
        bus.taken.push(...events);
      };
    }
    const tenants = Array.from({ length: 8 }, () => newId('ten'));
    const relays = [one.relay(buses[0]), other.relay(buses[1])];
    await writeAtOnce(10, tenants);
    await empty();
    await Promise.all(relays.map((relay) => relay.stop()));
    expect([...bus.sequences().values()]).toEqual(Array.from({ length: 40 }, () => upTo(20)));
    expect(bus.taken).toHaveLength(800);
    for (const each of buses) expect(each.taken.length).toBeGreaterThan(100);
  });

  it('shares what has piled up with one that it wakes for it', async () => {
    const [waker, woken] = [new PaperBus(), new PaperBus()];
    for (const each of [waker, woken]) each.before = () => sleep(5);
    other.relay(woken, { pollMs: 60_000 });
    await sleep(100);
    const tenants = Array.from({ length: 8 }, () => newId('ten'));
    const resources = Array.from({ length: 1_000 }, (_, at) => `cnv_${at % 50}`);
    await Promise.all(tenants.map((tenant) => one.tell(tenant, ...resources)));
    one.relay(waker);
    await empty();
    expect(waker.taken.length + woken.taken.length).toBe(8_000);
    expect(Math.min(waker.taken.length, woken.taken.length)).toBeGreaterThan(1_500);
  });

  it('takes over what one that died had leased, once the lease has run out, and fences it off', async () => {
    const tenant = newId('ten');
    for (let n = 0; n < 3; n++) await one.tell(tenant, 'cnv_1');
    const abandoned = await leaseBatch(one.database, 'dead', 600_000);
    expect(abandoned.events).toHaveLength(3);
    other.relay(bus, { pollMs: 10 });
    await sleep(300);
    expect(bus.taken).toEqual([]);
    await ledger.sql("UPDATE outbox_shards SET free_at = now() WHERE owner = 'dead'");
    await empty();
    expect([...bus.sequences().values()]).toEqual([[1, 2, 3]]);

    const again = await insertEvent(ledger, { tenantId: tenant, resource: 'cnv_1', sequence: 4 });
    bus.down = true;
    const published = [...abandoned.events.map(({ id }) => id), again];
    expect(await completeBatch(one.database, abandoned, { published, refused: [] })).toBe(1);
    expect(await waiting(ledger)).toBe(1);
    bus.down = false;
    await empty();
  });

  it('publishes nothing once its lease has run out', async () => {
    const tenant = newId('ten');
    await insertEvent(ledger, { tenantId: tenant, resource: 'a', sequence: 1, type: 'no.such' });
    await insertEvent(ledger, { tenantId: tenant, resource: 'a', sequence: 2 });
    let calls = 0;
    const clock = jest.spyOn(performance, 'now');
    bus.before = () => {
      calls += 1;
      clock.mockReturnValue(performance.now() + 60_000);
      return Promise.resolve();
    };
    const relay = one.relay(bus, { pollMs: 10_000, backoffMaxMs: 10_000 });
    await until(() => one.logged().includes('outbox relay: publish failed, retrying'));
    expect(calls).toBe(1);
    await relay.stop();
    expect(await waiting(ledger)).toBe(2);
  });

  it('loses nothing to an outage, tells of it once, and goes on by itself', async () => {
    bus.down = true;
    one.relay(bus);
    const tenant = newId('ten');
    for (let n = 0; n < 5; n++) await one.tell(tenant, 'cnv_1');
    await until(() => bus.calls >= 10);
    expect(await waiting(ledger)).toBe(5);
    expect(one.logged()).toEqual(['outbox relay: publish failed, retrying']);
    bus.down = false;
    await empty();
    expect([...bus.sequences().values()]).toEqual([upTo(5)]);
    expect(one.logged()).toEqual(['outbox relay: publishing again']);
  });

  it('completes what left though other events of the batch cannot, and these wait', async () => {
    bus.without = 'cnv_1';
    one.relay(bus);
    const tenant = newId('ten');
    await one.tell(tenant, 'cnv_1', 'cnv_2', 'cnv_3', 'cnv_1');
    await until(async () => (await waiting(ledger)) === 2);
    await one.tell(tenant, 'cnv_2');
    await until(async () => bus.taken.length === 3 && (await waiting(ledger)) === 2);
    expect(one.logged()).toEqual(['outbox relay: publish failed, retrying']);
    bus.without = undefined;
    await empty();
    expect(bus.taken).toHaveLength(5);
    expect(bus.sequences().get(`${tenant}/cnv_1`)).toEqual([1, 2]);
  });

  it('leaves an event of a type it does not know to a relay that does, and its successors with it', async () => {
    const tenantId = newId('ten');
    const occurredAt = new Date().toISOString();
    const young = { tenantId, resource: 'cnv_1', occurredAt };
    await insertEvent(ledger, { ...young, sequence: 1 });
    const next = await insertEvent(ledger, { ...young, sequence: 2, type: 'of.the.next.release' });
    await insertEvent(ledger, { ...young, sequence: 3 });
    await insertEvent(ledger, { ...young, sequence: 1, resource: 'cnv_2' });
    const older = one.relay(bus);
    await until(async () => bus.taken.length === 2 && (await waiting(ledger)) === 2);
    expect(one.logged()).toEqual(['outbox relay: publish failed, retrying']);
    await older.stop();
    // A relay of the next release takes the type.
    await ledger.sql(`UPDATE outbox SET type = 'conversation.received' WHERE event_id = $1`, [
      next,
    ]);
    other.relay(bus);
    await empty();
    expect(bus.sequences().get(`${tenantId}/cnv_1`)).toEqual([1, 2, 3]);
  });

  it('parks an event of a type that nobody has come to know for an hour', async () => {
    const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
    const old = { tenantId: newId('ten'), resource: 'cnv_1', occurredAt };
    await insertEvent(ledger, { ...old, sequence: 1, type: 'no.such' });
    await insertEvent(ledger, { ...old, sequence: 2 });
    one.relay(bus);
    await empty();
    expect([...bus.sequences().values()]).toEqual([[2]]);
    expect(await ledger.sql('SELECT type FROM outbox')).toEqual([{ type: 'no.such' }]);
  });

  it('outlives its connections to the database, and those of its listener', async () => {
    one.relay(bus, { pollMs: 50 });
    const tenant = newId('ten');
    await one.tell(tenant, 'cnv_1');
    await empty();
    await ledger.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await other.tell(tenant, 'cnv_1').catch(() => other.tell(tenant, 'cnv_1'));
    await empty();
    expect([...bus.sequences().values()]).toEqual([[1, 2]]);
  });

  it('parks an event that the bus never takes, with the cause, and its neighbours leave', async () => {
    const tenantId = newId('ten');
    const event = { tenantId, resource: 'cnv_1' };
    for (const sequence of [1, 2, 4, 5]) await insertEvent(ledger, { ...event, sequence });
    const unknown = await insertEvent(ledger, { ...event, sequence: 3, type: 'no.such' });
    const padding = 'x'.repeat(100_000);
    const large = await insertEvent(ledger, { ...event, sequence: 6, padding });
    await insertEvent(ledger, { ...event, sequence: 7 });
    one.relay(bus);
    await empty();
    expect([...bus.sequences().values()]).toEqual([[1, 2, 4, 5, 7]]);
    expect(bus.taken).toHaveLength(5);
    expect(await ledger.sql('SELECT event_id, refusal FROM outbox ORDER BY sequence')).toEqual([
      { event_id: unknown, refusal: expect.stringContaining('no.such') },
      { event_id: large, refusal: expect.stringContaining('bytes') },
    ]);
    await one.tell(tenantId, 'cnv_2');
    await empty();
    const parked = 'outbox relay: event parked, the bus refuses it';
    expect(one.logged()).toEqual([parked, parked]);
    const { database } = one;
    expect(await listParked(database)).toEqual([
      {
        ...{ id: unknown, type: 'no.such', ...event, sequence: 3 },
        createdAt: expect.any(Date),
        refusal: expect.stringContaining('no.such'),
      },
      expect.objectContaining({ id: large, sequence: 6 }),
    ]);
    // Events that the bus takes by now leave; those that it still refuses are parked again.
    await ledger.sql(`UPDATE outbox SET type = 'conversation.commented' WHERE event_id = $1`, [
      unknown,
    ]);
    expect(await releaseParked(database)).toBe(2);
    await empty();
    expect([...(bus.sequences().get(`${tenantId}/cnv_1`) ?? [])]).toContain(3);
    expect(await listParked(database)).toMatchObject([{ id: large }]);
    expect(one.logged()).toEqual([parked]);
  });

  it('holds no more than a part of large events at a time', async () => {
    const [tenantId, resource] = [newId('ten'), 'cnv_1'];
    for (const sequence of upTo(12)) {
      await insertEvent(ledger, { tenantId, resource, sequence, padding: 'x'.repeat(90_000) });
    }
    const sizes: number[] = [];
    bus.before = (events) => Promise.resolve(void sizes.push(events.length));
    one.relay(bus);
    await empty();
    expect(sizes).toEqual([3, 3, 3, 3]);
    expect([...bus.sequences().values()]).toEqual([upTo(12)]);
  });

  it('finishes the batch under way when it stops, and releases its shards', async () => {
    let release = (): void => undefined;
    bus.before = () => new Promise((resolve) => (release = resolve));
    const relay = one.relay(bus);
    await one.tell(newId('ten'), 'cnv_1');
    await until(() => bus.calls === 1);
    const leased = () => ledger.sql('SELECT FROM outbox_shards WHERE owner IS NOT NULL');
    expect(await leased()).toHaveLength(1);
    const stopped = relay.stop();
    await one.tell(newId('ten'), 'cnv_1');
    release();
    await stopped;
    expect(bus.taken).toHaveLength(1);
    expect(await waiting(ledger)).toBe(1);
    expect(await leased()).toEqual([]);
  });

  it('is woken by a commit of its own process, and by another relay that has too much', async () => {
    const never = { pollMs: 60_000 };
    const tenant = newId('ten');
    const relay = one.relay(bus, never);
    await until(() =>
      ledger
        .sql("SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        .then((found) => found.length > 0),
    );
    await sleep(50);
    await one.tell(tenant, 'cnv_1');
    await until(() => bus.taken.length === 1);

    // A process without a relay wakes none; if its event is found all the same, that look had begun before, and it is tried again.
    let before = 0;
    for (let tries = 0; tries < 10 && bus.taken.length > before; tries++) {
      before = bus.taken.length;
      await other.tell(tenant, 'cnv_1');
      await sleep(100);
    }
    expect(bus.taken).toHaveLength(before);
    await completeBatch(other.database, { leases: [], full: true }, { published: [], refused: [] });
    await until(() => bus.taken.length === before + 1);
    await relay.stop();
  });

  it('carries an event over a bus to one effect, though its consumer fails at first', async () => {
    const real = new InProcessBus();
    let deliveries = 0;
    await real.subscribe('webhooks', ['messaging'], async (event) => {
      deliveries += 1;
      if (deliveries === 1) throw new Error('not now');
      await consumeOnce(other.database, 'webhooks', event, async (consuming) => {
        await bump(consuming, 'delivered');
      });
    });
    one.relay(real);
    const tenant = newId('ten');
    await one.tell(tenant, 'cnv_1', 'cnv_2');
    await empty();
    const delivered = "SELECT value FROM counters WHERE tenant_id = $1 AND id = 'delivered'";
    await until(
      async () => (await ledger.sql<{ value: number }>(delivered, [tenant]))[0]?.value === 2,
    );
    expect(deliveries).toBe(3);
    await real.close();
  });

  it('finds what nobody told of, by looking', async () => {
    one.relay(bus, { pollMs: 20 });
    await sleep(50);
    await other.tell(newId('ten'), 'cnv_1');
    await until(() => bus.taken.length === 1);
  });
});
