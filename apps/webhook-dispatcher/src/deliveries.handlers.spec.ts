import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemberCaller } from '@postroom/access';
import {
  deliveries,
  newId,
  type Delivery,
  type DeliveryAnswer,
  type DeliveryPage,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { eventOf, hashOf, Receiver } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { anEvent, WebhooksTestService } from './testing/webhooks-service.js';

let service: WebhooksTestService;
let receiver: Receiver;
/** Paths that fail. */
const failing = new Set<string>();

beforeAll(async () => {
  receiver = await Receiver.start();
  receiver.answer = ({ path }, response) => {
    response.writeHead(failing.has(path) ? 500 : 204).end();
  };
  service = await WebhooksTestService.start({ WEBHOOK_RETRY_DELAYS_MS: '0,10ms,10ms,10ms' });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let paths = 0;

/** A subscription whose endpoint fails, with so many failed deliveries. */
async function failed(count: number) {
  const caller = anAdmin();
  paths += 1;
  const path = `/history/${paths}`;
  failing.add(path);
  const { webhook } = await service.subscribeTo(caller, receiver.url(path));
  for (let i = 0; i < count; i++) await service.emit(anEvent({ tenantId: caller.tenantId }));
  const history = await service.settled(caller, webhook.id, count);
  return { caller, path, id: webhook.id, history };
}

const list = async (
  caller: MemberCaller,
  input: {
    id: string;
    limit?: number;
    status?: 'failed' | 'succeeded';
    event?: 'task.created';
    pageToken?: string;
  },
) => {
  const answer = await service.call<DeliveryPage>(
    deliveries.list,
    { limit: 50, ...input },
    { caller },
  );
  return answer;
};

describe('deliveries.list', () => {
  it('pages through the history, last created first, each once', async () => {
    const caller = anAdmin();
    const { webhook } = await service.subscribeTo(caller, receiver.url('/history/pages'));
    for (let i = 0; i < 7; i++) await service.emit(anEvent({ tenantId: caller.tenantId }));
    const whole = await service.settled(caller, webhook.id, 7);
    const walked: Delivery[] = [];
    let pageToken: string | null = null;
    do {
      const given = pageToken === null ? {} : { pageToken };
      const { body } = await list(caller, { id: webhook.id, limit: 3, ...given });
      walked.push(...body.items);
      pageToken = body.nextPageToken;
    } while (pageToken !== null);
    expect(walked).toEqual(whole);
    expect(walked.map(({ id }) => id)).toEqual(
      walked
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  });

  it('filters by status and event', async () => {
    const { caller, id, path } = await failed(2);
    failing.delete(path);
    await service.emit(anEvent({ tenantId: caller.tenantId, type: 'task.created' }));
    await service.settled(caller, id, 3);
    const count = async (filter: object) =>
      (await list(caller, { id, ...filter })).body.items.length;
    expect(await count({ status: 'failed' })).toBe(2);
    expect(await count({ status: 'succeeded' })).toBe(1);
    expect(await count({ event: 'task.created' })).toBe(1);
    expect(await count({ event: 'task.created', status: 'failed' })).toBe(0);
  });

  it('refuses the page token of another query', async () => {
    const { caller, id } = await failed(2);
    const { body } = await list(caller, { id, limit: 1 });
    const answer = await list(caller, {
      id,
      limit: 1,
      status: 'failed',
      pageToken: body.nextPageToken ?? '',
    });
    expect(answer.problem).toBe('INVALID_PAGE_TOKEN');
  });
});

describe('deliveries.listOfEvent', () => {
  it('lists those of every subscription, redeliveries too, of the own workspace alone', async () => {
    const { caller, history, id } = await failed(1);
    const [first] = history;
    const eventId = first?.eventId ?? '';
    await service.call(deliveries.redeliver, { id: first?.id ?? '' }, { caller });
    await service.settled(caller, id, 2);
    // As one of long ago, whose id no longer tells where its deliveries are.
    await service.rows('UPDATE deliveries SET week = (week + 3) % 10 WHERE id = $1', [first?.id]);
    const ask = async (by: MemberCaller, input: object = {}) =>
      (
        await service.call<DeliveryPage>(
          deliveries.listOfEvent,
          { eventId, limit: 50, ...input },
          { caller: by },
        )
      ).body;
    const all = (await ask(caller)).items;
    expect(all.map((one) => [one.eventId, one.redelivery])).toEqual([
      [eventId, 1],
      [eventId, 0],
    ]);
    const { items, nextPageToken } = await ask(caller, { limit: 1 });
    const rest = await ask(caller, { limit: 1, pageToken: nextPageToken });
    expect([...items, ...rest.items].map((one) => one.id)).toEqual(all.map((one) => one.id));
    expect(rest.nextPageToken).toBeNull();
    expect(await ask(anAdmin())).toMatchObject({ items: [] });
    expect(await ask(caller, { eventId: newId('evn') })).toMatchObject({ items: [] });
  });
});

describe('the request of a delivery', () => {
  const get = async (caller: MemberCaller, id: string) =>
    (await service.call<DeliveryAnswer>(deliveries.get, { id }, { caller })).body.delivery;

  const only = <T>([one]: readonly T[]): T => {
    if (one === undefined) throw new Error('there is none');
    return one;
  };

  it.each([
    ['contact.created', 'contact.created'],
    ['conversation.commented', 'comment.added'],
  ] as const)('is what the last attempt sent, cut in lists: %s as %s', async (type, name) => {
    const caller = anAdmin();
    const path = `/request/${name}`;
    const { secret, webhook } = await service.subscribeTo(caller, receiver.url(path), {
      events: [name],
    });
    const data = { text: 'é'.repeat(5_000) };
    await service.emit(anEvent({ tenantId: caller.tenantId, type, data }));
    const listed = only(await service.settled(caller, webhook.id));
    const sent = only(receiver.at(path));
    const body = sent.body.toString();
    const { request } = await get(caller, listed.id);
    expect(request?.body).toBe(body);
    expect(sent.headers).toMatchObject(request?.headers ?? {});
    expect(request?.headers).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1,/),
      'x-svc-attempt': '1',
    });
    expect(JSON.stringify(request)).not.toContain(secret);
    expect(listed.request).toEqual({
      headers: request?.headers,
      body: Buffer.from(body).subarray(0, 4096).toString(),
    });
    await service.rows('DELETE FROM events WHERE tenant_id = $1', [caller.tenantId]);
    expect((await get(caller, listed.id)).request).toEqual({ ...request, body: null });
  });

  it('is null until an attempt has ended', async () => {
    const { caller, history, id } = await failed(1);
    await service.rows('UPDATE attempts SET headers = NULL WHERE tenant_id = $1', [
      caller.tenantId,
    ]);
    expect((await list(caller, { id })).body.items[0]?.request).toBeNull();
    expect((await get(caller, history[0]?.id ?? '')).request).toBeNull();
  });
});

describe('deliveries.get', () => {
  it('answers not found for one of another workspace', async () => {
    const { history } = await failed(1);
    const [own] = history;
    for (const id of [own?.id ?? '', newId('dlv')]) {
      const answer = await service.call(deliveries.get, { id }, { caller: anAdmin() });
      expect(answer.problem).toBe('DELIVERY_NOT_FOUND');
    }
  });
});

describe('deliveries.redeliver', () => {
  it('delivers the same event and bytes again, as a delivery of its own', async () => {
    const { caller, path, history, id } = await failed(1);
    failing.delete(path);
    const [first] = history;
    if (!first) throw new Error('it has one');
    const before = receiver.at(path).length;
    const answer = await service.call<DeliveryAnswer>(
      deliveries.redeliver,
      { id: first.id },
      { caller },
    );
    expect(answer.status).toBe(201);
    expect(answer.body.delivery).toMatchObject({
      eventId: first.eventId,
      redelivery: 1,
      status: 'pending',
    });
    expect(answer.body.delivery.id).not.toBe(first.id);
    const all = await eventually(
      () => receiver.at(path),
      ({ length }) => length === before + 1,
    );
    expect(new Set(all.map(hashOf)).size).toBe(1);
    expect(all.at(-1)?.headers).toMatchObject({
      'webhook-id': first.eventId,
      'x-svc-attempt': '1',
    });
    const settled = await service.settled(caller, id, 2);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
    // Nobody waits for the first: its success would not be told.
    const told = (status: 'failed' | 'succeeded', { id: of, eventId }: Delivery) =>
      expect.objectContaining({
        ...{ type: `delivery.${status}`, delivery: { id: of, webhookId: id, eventId } },
      });
    const notices = await eventually(
      () => service.notices.filter((one) => JSON.stringify(one).includes(id)),
      ({ length }) => length > 1,
    );
    expect(notices).toEqual([told('failed', first), told('succeeded', answer.body.delivery)]);
  });

  it('is refused for an event that is no longer kept, a pending one, and a disabled subscription', async () => {
    const { caller, history } = await failed(1);
    const input = { id: history[0]?.id ?? '' };
    const redeliver = async () =>
      (await service.call(deliveries.redeliver, input, { caller })).problem;
    await service.rows(
      `UPDATE deliveries SET status = 'pending', next_at = now() + interval '1 hour' WHERE id = $1`,
      [input.id],
    );
    expect(await redeliver()).toBe('DELIVERY_PENDING');
    await service.rows(`UPDATE deliveries SET status = 'failed' WHERE id = $1`, [input.id]);
    await service.rows('DELETE FROM events WHERE tenant_id = $1', [caller.tenantId]);
    expect(await redeliver()).toBe('EVENT_EXPIRED');
    await service.rows(`UPDATE subscriptions SET status = 'disabled' WHERE tenant_id = $1`, [
      caller.tenantId,
    ]);
    expect(await redeliver()).toBe('WEBHOOK_DISABLED');
  });
});

describe('deliveries.redeliverFailed', () => {
  it('delivers all that has failed since a time, once each, and counts what is no longer kept', async () => {
    const { caller, path, id, history } = await failed(5);
    failing.delete(path);
    const oldest = history.at(-1);
    await service.rows('DELETE FROM events WHERE event_id = $1', [history[0]?.eventId]);
    await service.rows(
      `UPDATE deliveries SET created_at = created_at - interval '1 day' WHERE id = $1`,
      [oldest?.id],
    );
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const before = receiver.at(path).length;
    const again = () => service.call(deliveries.redeliverFailed, { id, since }, { caller });
    expect((await again()).body).toEqual({ redelivered: 3, expired: 1 });
    expect((await again()).body).toMatchObject({ redelivered: 0 });
    const all = await eventually(
      () => receiver.at(path),
      ({ length }) => length === before + 3,
    );
    expect(
      all
        .slice(before)
        .map((one) => eventOf(one).id)
        .toSorted(),
    ).toEqual(
      history
        .slice(1, 4)
        .map(({ eventId }) => eventId)
        .toSorted(),
    );
  });
});
