import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BusUnavailable, InProcessBus, type EventRecord } from '@postroom/bus';
import { newId } from '@postroom/contracts';
import { createLog } from '@postroom/service';
import { until } from '@postroom/testing/until';
import { type AuditLoop, type AuditRecorded, startAuditForwarding } from './audit-loop.js';
import { Ledger } from './testing/ledger.js';
import { Replica } from './testing/outbox.js';
import { PaperBus } from './testing/paper-bus.js';
import { UnitOfWork } from './unit-of-work.js';

const log = createLog({ level: 'silent', format: 'json' });

describe('the forwarding of audit records', () => {
  let ledger: Ledger;
  let replica: Replica;
  let started: AuditLoop[];
  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    await ledger.sql('DELETE FROM audit_records');
    await ledger.sql('DELETE FROM outbox');
    replica = await Replica.open(ledger);
    started = [];
  });

  const forward = (options: { gatherMs?: number; pollMs?: number } = {}): AuditLoop => {
    const { database } = replica;
    const loop = startAuditForwarding({ database, log, gatherMs: 1, pollMs: 10, ...options });
    started.push(loop);
    return loop;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((loop) => loop.stop()));
  };
  // A loop that a failed spec leaves running would keep its process alive.
  afterEach(async () => {
    await stop();
    await replica.close();
  });

  const record = (tenantId: string, action = 'spec', work = new UnitOfWork(replica.database)) =>
    work.change({ tenantId, actor: { type: 'key', id: 'key_1' }, source: 'api' }, null, () =>
      Promise.resolve({ value: null, audit: { action, subjectId: 'cnv_1', requestId: 'r' } }),
    );
  const waiting = async (): Promise<number> =>
    (await ledger.sql('SELECT FROM audit_records')).length;
  const recordsOf = ({ envelope }: Pick<EventRecord, 'envelope'>): AuditRecorded['records'] =>
    (JSON.parse(envelope) as AuditRecorded).records;
  const internalEvents = (): Promise<(EventRecord & { tenant_id: string })[]> =>
    ledger.sql(`SELECT event_id AS id, type, tenant_id, resource, envelope FROM outbox
                WHERE type = 'audit.recorded' ORDER BY sequence`);

  it('makes of many records one internal event a workspace, each with all it says, in order', async () => {
    const [one, other] = [newId('ten'), newId('ten')];
    const before = new Date().toISOString();
    for (const action of ['first', 'second', 'third']) {
      await record(one, action);
      await sleep(2);
    }
    await record(other);
    forward();
    await until(async () => (await waiting()) === 0);
    await stop();
    const found = await internalEvents();
    expect(found.map(({ tenant_id }) => tenant_id).sort()).toEqual([one, other].sort());
    const ofOne = recordsOf(found.find(({ tenant_id }) => tenant_id === one) ?? { envelope: '' });
    expect(ofOne.map(({ action }) => action)).toEqual(['first', 'second', 'third']);
    expect(ofOne[0]).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      approvedBy: null,
      durationMs: null,
      actorType: 'key',
      actorId: 'key_1',
      source: 'api',
      action: 'first',
      subjectId: 'cnv_1',
      requestId: 'r',
    });
    expect(ofOne[0]?.at.localeCompare(before)).toBeGreaterThanOrEqual(0);
  });

  it('takes what waits when it is stopped', async () => {
    const loop = forward({ gatherMs: 600_000, pollMs: 600_000 });
    await sleep(50);
    await record(newId('ten'));
    expect(await waiting()).toBe(1);
    await loop.stop();
    expect(await waiting()).toBe(0);
    expect(await internalEvents()).toHaveLength(1);
  });

  it('loses and doubles none of fifty writers’, with several at it', async () => {
    for (let i = 0; i < 3; i++) forward();
    const tenants = [newId('ten'), newId('ten'), newId('ten')];
    const made = Array.from({ length: 1_500 }, (_, i) => i);
    const writer = async (_: unknown, first: number): Promise<void> => {
      for (let i = first; i < made.length; i += 50) await record(tenants[i % 3] ?? '', `${i}`);
    };
    await Promise.all(Array.from({ length: 50 }, writer));
    await until(async () => (await waiting()) === 0);
    await stop();
    const actions = (await internalEvents()).flatMap((event) =>
      recordsOf(event).map(({ action }) => Number(action)),
    );
    expect(actions.sort((a, b) => a - b)).toEqual(made);
  });

  it('moves a large heap of them in internal events that a bus carries', async () => {
    await ledger.sql(
      `INSERT INTO audit_records (tenant_id, id, at, actor_type, source, action)
       SELECT 'ten_1', lpad(n::text, 30, '0'), now(), 'system', 'api', 'spec' FROM generate_series(1, 2300) n`,
    );
    forward();
    await until(async () => (await waiting()) === 0);
    await stop();
    const counts = (await internalEvents()).map((event) => recordsOf(event).length);
    expect(counts).toEqual([500, 500, 500, 500, 300]);
  });

  it('leaves a workspace’s internal events in the order their records were made', async () => {
    const bus = new PaperBus();
    replica.relay(bus);
    forward({ gatherMs: 5 });
    const tenantId = newId('ten');
    const actions = Array.from({ length: 30 }, (_, i) => `${i}`);
    for (const action of actions) {
      await record(tenantId, action);
      await sleep(2);
    }
    await until(() => bus.taken.flatMap(recordsOf).length === actions.length);
    await stop();
    expect(bus.taken.flatMap(recordsOf).map(({ action }) => action)).toEqual(actions);
  });

  it('has internal events wait for their consumer, while events leave', async () => {
    const bus = new InProcessBus();
    const events: string[] = [];
    await bus.subscribe('spec', ['messaging'], async ({ id }) => void events.push(id));
    replica.relay(bus);
    forward();
    const tenantId = newId('ten');
    await record(tenantId);
    await until(async () => (await waiting()) === 0);
    await replica.tell(tenantId, 'cnv_1');
    await until(() => events.length === 1);
    expect(await internalEvents()).toHaveLength(1);
    const event = { type: 'audit.recorded', tenantId, resource: 'audit', envelope: '{}' } as const;
    expect(await bus.emit([{ id: 'aud_1', ...event }])).toEqual({
      stored: [],
      failure: expect.any(BusUnavailable),
    });
    const taken: EventRecord[] = [];
    let failures = 2;
    await bus.subscribe('audit', ['audit'], async (event) => {
      if (failures-- > 0) throw new Error('not yet');
      taken.push(event);
    });
    await until(() => taken.length === 1);
    await until(async () => (await internalEvents()).length === 0);
    await stop();
    await bus.close();
    expect(taken.flatMap(recordsOf)).toHaveLength(1);
  });
});
