import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, webhooks, type EventEnvelope } from '@postroom/contracts';
import { Metrics } from '@postroom/service';
import { anAdmin } from '@postroom/service-testing';
import { Receiver, type Received } from '@postroom/testing';
import { ulid } from 'ulid';
import { eventually } from '@postroom/testing/until';
import { anEvent, refusingRows, WebhooksTestService } from './testing/webhooks-service.js';

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

/** Emits the events of each resource in order. */
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
    const all = await eventually(
      () => receiver.at('/slow/order'),
      ({ length }) => length === 100,
    );
    expect(sequencesOf(all)).toEqual(Array(5).fill(upTo(20)));
  });

  it('of one resource wait for no retry of the event before', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/fails/order'));
    await emitAll(eventsOf(admin.tenantId, 2, 10));
    const all = await eventually(
      () => receiver.at('/fails/order'),
      ({ length }) => length === 20,
    );
    expect(sequencesOf(all)).toEqual(Array(2).fill(upTo(10)));
  });
});

describe('events of one resource that come in the wrong order', () => {
  it('are all delivered, in the order in which they came', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/slow/disorder'));
    for (const event of eventsOf(admin.tenantId, 1, 5).toReversed()) await service.emit(event);
    const all = await eventually(
      () => receiver.at('/slow/disorder'),
      ({ length }) => length === 5,
    );
    expect(sequencesOf(all)).toEqual([upTo(5).toReversed()]);
  });
});

describe('a row that cannot be delivered', () => {
  it('delays no other, and its attempts end as those of any', async () => {
    const admin = anAdmin();
    const { webhook } = await service.subscribeTo(admin, receiver.url('/poisoned'));
    await service.subscribeTo(admin, receiver.url('/beside-poisoned'));
    await service.rows(`UPDATE subscriptions SET sealed_secret = 'no secret' WHERE id = $1`, [
      webhook.id,
    ]);
    await emitAll(eventsOf(admin.tenantId, 2, 2));
    await eventually(
      () => receiver.at('/beside-poisoned'),
      ({ length }) => length === 4,
    );
    const history = await eventually(
      () => service.history(admin, webhook.id),
      (found) => found.every(({ attempts }) => attempts[0]?.error === 'interrupted'),
    );
    expect(history).toHaveLength(4);
    expect(receiver.at('/poisoned')).toEqual([]);
  });
});

describe('a full disk', () => {
  it('lets nothing be sent of which no attempt could be recorded, and loses nothing', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/full'));
    const hasRoom = await refusingRows(service, 'UPDATE ON deliveries', '53100');
    await emitAll(eventsOf(admin.tenantId, 3, 1));
    await eventually(
      () => service.log,
      (lines) => lines.some((line) => line.includes('deliveries cannot be claimed')),
    );
    expect(receiver.at('/full')).toEqual([]);
    await hasRoom();
    const all = await eventually(
      () => receiver.at('/full'),
      ({ length }) => length === 3,
    );
    expect(all.map(({ headers }) => headers['x-svc-attempt'])).toEqual(['1', '1', '1']);
  });

  it('is waited out by outcomes: what was taken is not sent again', async () => {
    const admin = anAdmin();
    const { webhook } = await service.subscribeTo(admin, receiver.url('/full-after'));
    const hasRoom = await refusingRows(service, 'INSERT ON attempts', '53100');
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    await eventually(
      () => service.log,
      (lines) => lines.some((line) => line.includes('outcomes cannot be recorded')),
    );
    await hasRoom();
    expect(await service.settled(admin, webhook.id)).toMatchObject([{ status: 'succeeded' }]);
    expect(receiver.at('/full-after')).toHaveLength(1);
  });
});

describe('endpoints that hang or fail', () => {
  // The limit webhooks.deliveries.
  it('do not delay the others, in their workspace and in others', async () => {
    const [ill, well] = [anAdmin(), anAdmin()];
    await service.subscribeTo(ill, receiver.url('/healthy/beside'));
    await service.subscribeTo(well, receiver.url('/healthy/elsewhere'));
    for (let i = 0; i < 9; i++) await service.subscribeTo(ill, receiver.url(`/hangs/${i}`));
    for (let i = 0; i < 10; i++) await service.subscribeTo(ill, receiver.url(`/fails/${i}`));
    // More than each may have in progress.
    await emitAll(eventsOf(ill.tenantId, 40, 1));
    for (const { tenantId } of [ill, well]) await emitAll(eventsOf(tenantId, 20, 1));
    await eventually(
      () => receiver.at('/healthy/beside').length + receiver.at('/healthy/elsewhere').length,
      (count) => count === 80,
    );
    // Nothing was waited for: most deliveries to the endpoints that hang are still to be made.
    const waiting = await service.rows(
      `SELECT FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
       WHERE d.tenant_id = $1 AND s.url LIKE '%/hangs/%' AND d.status = 'pending' AND d.attempts = 0`,
      [ill.tenantId],
    );
    expect(waiting.length).toBeGreaterThan(0);
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
    const all = await eventually(
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
      await eventually(
        () => receiver.at('/fails/days').length,
        (count) => count > before,
      );
    };
    await service.emit(anEvent({ tenantId: admin.tenantId }));
    const [row] = await eventually(
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
    const disabled = await eventually(
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
    await eventually(
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
    await eventually(
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

describe('the delay of attempts, as the metrics tell it', () => {
  /** Attempts that were counted so far, and those of them that began over 30 seconds late. */
  async function counted(): Promise<{ all: number; late: number }> {
    const { body } = await service.service.get(Metrics).expose();
    const value = (series: string): number => {
      const name = `postroom_webhook_delay_seconds_${series} `;
      return Number(
        body
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.slice(name.length),
      );
    };
    const all = value('count');
    return { all, late: all - value('bucket{le="30"}') };
  }

  const since = async (before: { all: number; late: number }) => {
    const now = await counted();
    return { all: now.all - before.all, late: now.late - before.late };
  };

  it('begins with the event, wherever it has been', async () => {
    const before = await counted();
    for (const agoMs of [0, 60_000]) {
      const admin = anAdmin();
      await service.subscribeTo(admin, receiver.url('/delayed'));
      const id = `evn_${ulid(Date.now() - agoMs)}`;
      await service.emit(anEvent({ tenantId: admin.tenantId, id }));
    }
    await eventually(
      () => receiver.at('/delayed'),
      ({ length }) => length === 2,
    );
    expect(await since(before)).toEqual({ all: 2, late: 1 });
  });

  it('has no part of what waits behind its own endpoint, or for its subscription to be resumed', async () => {
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/hangs/delayed'));
    const { webhook } = await service.subscribeTo(admin, receiver.url('/resumed'));
    const set = (status: 'active' | 'paused') =>
      service.call(webhooks.update, { id: webhook.id, status }, { caller: admin });
    await set('paused');
    const before = await counted();
    await emitAll(eventsOf(admin.tenantId, 8, 1));
    // Four at a time hang; the others are claimed when these have ended, and fail too.
    await eventually(
      () => receiver.at('/hangs/delayed'),
      ({ length }) => length === 4,
    );
    await service.rows(
      `UPDATE deliveries SET next_at = next_at - interval '1 hour' WHERE tenant_id = $1 AND attempts = 0`,
      [admin.tenantId],
    );
    await eventually(
      () => receiver.at('/hangs/delayed'),
      ({ length }) => length > 4,
    );
    expect(await since(before)).toEqual({ all: 4, late: 0 });
    await set('active');
    await eventually(
      () => receiver.at('/resumed'),
      ({ length }) => length === 8,
    );
    expect((await since(before)).late).toBe(0);
  });
});

describe('what the metrics tell of the queue', () => {
  it('is what is due and nobody has claimed, ten of a subscription at most', async () => {
    const waiting = async (): Promise<{ due: number; oldest_seconds: number } | undefined> => {
      const { rows } = await service.admin.query<{ due: number; oldest_seconds: number }>(
        'SELECT due, oldest_seconds FROM deliveries_waiting(13000)',
      );
      return rows[0];
    };
    const before = (await waiting())?.due ?? 0;
    const admin = anAdmin();
    await service.subscribeTo(admin, receiver.url('/hangs/metrics'));
    await emitAll(eventsOf(admin.tenantId, 40, 1));
    const found = await eventually(waiting, (one) => one?.due === before + 10);
    expect(found?.oldest_seconds).toBeGreaterThan(0);
  });
});
