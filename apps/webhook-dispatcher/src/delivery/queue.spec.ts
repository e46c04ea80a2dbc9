import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, webhooks, type EventEnvelope } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { eventOf, Receiver, type Received } from '@postroom/testing';
import { anEvent, until, WebhooksTestService } from '../testing/webhooks-service.js';

let service: WebhooksTestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  receiver.answer = ({ path }, response) => {
    if (path.startsWith('/hangs')) return;
    if (path.startsWith('/slow'))
      setTimeout(() => response.writeHead(204).end(), 30 * Math.random());
    else response.writeHead(path.startsWith('/fails') ? 500 : 204).end();
  };
  service = await WebhooksTestService.start({ WEBHOOK_RETRY_DELAYS_MS: '0,30s,30s,30s' });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Events of some resources, each resource's numbered from 1 on, as they happen: mixed. */
function eventsOf(tenantId: string, resources: number, each: number): EventEnvelope[] {
  const ids = Array.from({ length: resources }, () => newId('ctc'));
  return Array.from({ length: each }, (_, index) =>
    ids.map((resource) => anEvent({ tenantId, resource, sequence: index + 1 })),
  ).flat();
}

/** Emits what may take longer than the bus waits for: again, until all is recorded. */
async function emitAll(events: readonly EventEnvelope[]): Promise<void> {
  const byResource = Map.groupBy(events, ({ resource }) => resource.id);
  await Promise.all(
    [...byResource.values()].map(async (all) => {
      for (const event of all) await service.emit(event);
    }),
  );
}

const sequencesOf = (all: readonly Received[]): number[][] => {
  const events = all.map((one) => JSON.parse(one.body.toString()) as EventEnvelope);
  const byResource = Map.groupBy(events, ({ resource }) => resource.id);
  return [...byResource.values()].map((some) => some.map(({ sequence }) => sequence));
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('first attempts', () => {
  it('of one resource go out in order, however long each takes', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/slow/order'));
    await emitAll(eventsOf(admin.tenantId, 5, 20));
    const all = await until(
      () => receiver.at('/slow/order'),
      ({ length }) => length === 100,
    );
    expect(sequencesOf(all)).toEqual(Array(5).fill(upTo(20)));
  });

  it('of one resource wait for no retry of the event before', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/fails/order'));
    await emitAll(eventsOf(admin.tenantId, 2, 10));
    const all = await until(
      () => receiver.at('/fails/order'),
      ({ length }) => length === 20,
    );
    expect(sequencesOf(all)).toEqual(Array(2).fill(upTo(10)));
  });
});

describe('an endpoint that hangs, and many that fail', () => {
  it('leave the latency of the others as it was, in their workspace and in others', async () => {
    const [ill, well] = [anAdmin(), anAdmin()];
    for (let i = 0; i < 9; i++) await service.subscribeTo(ill, receiver.url(`/hangs/${i}`));
    for (let i = 0; i < 10; i++) await service.subscribeTo(ill, receiver.url(`/fails/${i}`));
    await service.subscribeTo(ill, receiver.url('/healthy/beside'));
    await service.subscribeTo(well, receiver.url('/healthy/elsewhere'));
    // More of each than it may have under way.
    await emitAll(eventsOf(ill.tenantId, 40, 1));
    await until(
      () => receiver.at('/healthy/beside'),
      ({ length }) => length === 40,
    );
    const sentMs = new Map<string, number>();
    for (let i = 0; i < 20; i++) {
      for (const { tenantId } of [ill, well]) {
        const event = anEvent({ tenantId });
        sentMs.set(event.id, Date.now());
        await service.emit(event);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const latencies = (path: string) =>
      receiver
        .at(path)
        .flatMap((one) => {
          const sent = sentMs.get(eventOf(one).id);
          return sent === undefined ? [] : [one.atMs - sent];
        })
        .toSorted((one, other) => one - other);
    for (const path of ['/healthy/beside', '/healthy/elsewhere']) {
      const all = await until(
        () => latencies(path),
        ({ length }) => length === 20,
      );
      expect(all.at(-2)).toBeLessThan(1_000);
    }
  });
});

describe('a paused subscription', () => {
  it('is sent nothing, and on resuming everything, in order per resource', async () => {
    const admin = anAdmin();
    const { webhook } = await service.subscribeTo(admin, receiver.url('/slow/paused'));
    const set = (status: 'active' | 'paused') =>
      service.call(webhooks.update, { id: webhook.id, status }, { caller: admin });
    await set('paused');
    await emitAll(eventsOf(admin.tenantId, 3, 10));
    // An hour later.
    await service.rows(
      `UPDATE deliveries SET next_at = next_at - interval '1 hour', created_at = created_at - interval '1 hour'
       WHERE tenant_id = $1`,
      [admin.tenantId],
    );
    await service.rows(
      `UPDATE subscriptions SET active_since = active_since - interval '1 hour' WHERE tenant_id = $1`,
      [admin.tenantId],
    );
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(receiver.at('/slow/paused')).toEqual([]);
    await set('active');
    const all = await until(
      () => receiver.at('/slow/paused'),
      ({ length }) => length === 30,
    );
    expect(sequencesOf(all)).toEqual(Array(3).fill(upTo(10)));
    const history = await service.settled(admin, webhook.id, 30);
    expect(history.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  it('is not sent what is no longer kept', async () => {
    const admin = anAdmin();
    const { webhook } = await service.subscribeTo(admin, receiver.url('/aged'));
    const set = (status: 'active' | 'paused') =>
      service.call(webhooks.update, { id: webhook.id, status }, { caller: admin });
    await set('paused');
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    await service.rows('DELETE FROM events WHERE tenant_id = $1', [admin.tenantId]);
    await set('active');
    expect(await service.settled(admin, webhook.id)).toMatchObject([{ status: 'failed' }]);
    expect(receiver.at('/aged')).toEqual([]);
  });
});

describe('a subscription that fails', () => {
  it('is disabled after five days without one success, and not before', async () => {
    const admin = anAdmin();
    const { webhook } = await service.subscribeTo(admin, receiver.url('/fails/days'));
    const failingFor = async (days: string) => {
      await service.rows(
        `UPDATE subscriptions SET failing_since = now() - $2::interval WHERE tenant_id = $1`,
        [admin.tenantId, days],
      );
      const before = receiver.at('/fails/days').length;
      await service.emit(anEvent({ tenantId: admin.tenantId }));
      await until(
        () => receiver.at('/fails/days').length,
        (count) => count > before,
      );
    };
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    const [row] = await until(
      () =>
        service.rows<{ since: Date | null }>(
          'SELECT failing_since AS since FROM subscriptions WHERE tenant_id = $1',
          [admin.tenantId],
        ),
      ([found]) => found?.since != null,
    );
    expect(row?.since).not.toBeNull();
    await failingFor('4 days 23 hours');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await service.webhook(admin, webhook.id))?.status).toBe('active');
    await failingFor('5 days');
    const disabled = await until(
      () => service.webhook(admin, webhook.id),
      (found) => found?.status === 'disabled',
    );
    expect(disabled?.disabledReason).toBe('failing');
  });

  it('begins to count anew with each success', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/recovers'));
    await service.rows(
      `UPDATE subscriptions SET failing_since = now() - interval '6 days' WHERE tenant_id = $1`,
      [admin.tenantId],
    );
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    await until(
      () =>
        service.rows('SELECT FROM subscriptions WHERE tenant_id = $1 AND failing_since IS NULL', [
          admin.tenantId,
        ]),
      ({ length }) => length === 1,
    );
  });
});

describe('what waits for a subscription that was removed', () => {
  it('is ended by the maintenance', async () => {
    const admin = anAdmin();
    await service.rows('SELECT end_abandoned()');
    const { webhook } = await service.subscribeTo(admin, receiver.url('/abandoned'));
    await service.call(
      webhooks.update,
      { id: webhook.id, status: 'paused' as const },
      { caller: admin },
    );
    await emitAll(eventsOf(admin.tenantId, 2, 2));
    await service.call(webhooks.remove, { id: webhook.id }, { caller: admin });
    const [ended] = await service.rows<{ ended: string }>('SELECT end_abandoned() AS ended');
    expect(ended).toEqual({ ended: '4' });
    expect(receiver.at('/abandoned')).toEqual([]);
  });
});

describe('the retention', () => {
  it('empties the slots of old days and weeks, and no other', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/kept'));
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    await until(
      () => receiver.at('/kept'),
      ({ length }) => length === 1,
    );
    const count = async (table: string) => service.count(table, admin);
    const run = (days: number, history: number) =>
      service.rows(`SELECT empty_events($1), empty_history($2)`, [days, history]);
    await run(7, 30);
    expect([await count('events'), await count('deliveries'), await count('attempts')]).toEqual([
      1, 1, 1,
    ]);
    // The same rows, as if they were of 9 days and of 8 weeks ago.
    const today = Math.floor(Date.now() / 86_400_000);
    const [day, week] = [(today - 9) % 16, Math.floor((today - 56) / 7) % 10];
    await service.rows('UPDATE events SET day = $1 WHERE tenant_id = $2', [day, admin.tenantId]);
    await service.rows('UPDATE deliveries SET week = $1 WHERE tenant_id = $2', [
      week,
      admin.tenantId,
    ]);
    await service.rows('UPDATE attempts SET week = $1 WHERE tenant_id = $2', [
      week,
      admin.tenantId,
    ]);
    await run(7, 30);
    expect([await count('events'), await count('deliveries'), await count('attempts')]).toEqual([
      0, 0, 0,
    ]);
  });
});
