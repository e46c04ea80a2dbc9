import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  deliveries,
  newId,
  webhooks,
  webhookTests,
  type Webhook,
  type WebhookTestAnswer,
} from '@postroom/contracts';
import type { Preview } from '@postroom/operations';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { eventOf, Receiver } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import { WebhooksTestService } from './testing/webhooks-service.js';

let service: WebhooksTestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  service = await WebhooksTestService.start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const given = { events: [], description: '' };

describe('webhooks.create', () => {
  it('answers the subscription, and its secret this once', async () => {
    const caller = anAdmin();
    const url = 'https://hooks.example.com/in?x=1';
    const { webhook, secret } = await service.subscribeTo(caller, url, {
      events: ['task.created'],
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({ url, events: ['task.created'], status: 'active', version: 1 });
    const list = await service.call<{ items: Webhook[] }>(webhooks.list, {}, { caller });
    expect(list.body.items).toEqual([webhook]);
    expect(list.text).not.toContain(secret.slice(6, 20));
    const audited = { action: 'webhooks.create', subjectId: webhook.id };
    await eventually(
      () => service.audited,
      (all) => all.some(({ subjectId }) => subjectId === webhook.id),
    );
    expect(service.audited).toContainEqual(expect.objectContaining(audited));
  });

  it('keeps no secret in plain text, nor in the log', async () => {
    const caller = anAdmin();
    const { secret } = await service.subscribeTo(caller, 'https://hooks.example.com');
    const rows = await service.rows<{ t: string }>(
      `SELECT s::text AS t FROM subscriptions s UNION ALL SELECT r::text FROM replies r`,
    );
    expect(rows.filter(({ t }) => t.includes(secret.slice(6, 30)))).toEqual([]);
    expect(service.log.join()).not.toContain(secret.slice(6, 30));
  });

  it.each([
    ...[
      'https://127.0.0.1/',
      'https://localhost',
      'https://10.0.0.1/x',
      'https://[::1]/',
      'https://0x7f.2',
    ],
    ...[
      'https://2130706434/',
      'https://１２７.０.０.２/',
      'https://169.254.169.254/latest',
      'http://hooks.example.com',
    ],
    ...[
      'https://[::ffff:a00:1]/',
      'https://printer.local/',
      'https://intranet/',
      'http://93.184.216.34/',
    ],
  ])('refuses %s, with details', async (url) => {
    const caller = anAdmin();
    const address = url.replace('127.0.0.1', '127.0.0.3').replace('//localhost', '//127.1.1.1');
    const input = { ...given, url: address };
    const answer = await service.call(webhooks.create, input, { caller });
    expect([answer.status, answer.problem]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.text).toContain('"field":"url"');
    expect(await service.count('subscriptions', caller)).toBe(0);
  });

  it('takes a target without TLS where the operator has allow-listed it', async () => {
    const { webhook } = await service.subscribeTo(anAdmin(), receiver.url());
    expect(webhook.status).toBe('active');
  });

  it('lets a workspace have 20, also when two ask at the same instant', async () => {
    const caller = anAdmin();
    const input = { ...given, url: 'https://hooks.example.com' };
    const asked = Array.from({ length: 24 }, () =>
      service.call(webhooks.create, input, { caller }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
    expect(await service.count('subscriptions', caller)).toBe(20);
  });
});

describe('webhooks.update', () => {
  it('checks a new URL as creation does, and changes nothing when it refuses', async () => {
    const caller = anAdmin();
    const { webhook } = await service.subscribeTo(caller, 'https://hooks.example.com');
    const input = { id: webhook.id, url: 'https://192.168.0.1' };
    expect(await service.call(webhooks.update, input, { caller })).toMatchObject({ status: 400 });
    expect(await service.webhook(caller, webhook.id)).toEqual(webhook);
  });

  it('refuses a version that is not the newest', async () => {
    const caller = anAdmin();
    const { webhook } = await service.subscribeTo(caller, 'https://hooks.example.com');
    const change = { id: webhook.id, description: 'x', ifMatch: 1 };
    expect(await service.call(webhooks.update, change, { caller })).toMatchObject({ status: 200 });
    const answer = await service.call(webhooks.update, change, { caller });
    expect(answer.problem).toBe('VERSION_CONFLICT');
  });

  it('answers not found for another workspace’s subscription, as every operation does', async () => {
    const { webhook } = await service.subscribeTo(anAdmin(), 'https://hooks.example.com');
    const [caller, { id }] = [anAdmin(), webhook];
    const answers = await Promise.all([
      service.call(webhooks.update, { id, description: 'x' }, { caller }),
      service.call(webhooks.remove, { id }, { caller }),
      service.call(webhooks.rotateSecret, { id }, { caller }),
      service.call(webhooks.test, { id }, { caller }),
      service.call(deliveries.list, { id, limit: 10 }, { caller }),
      service.call(
        deliveries.redeliverFailed,
        { id, since: '2026-01-01T00:00:00.000Z' },
        { caller },
      ),
    ]);
    expect(answers.map(({ problem }) => problem)).toEqual(Array(6).fill('WEBHOOK_NOT_FOUND'));
  });
});

describe('webhooks.rotateSecret', () => {
  it('signs with the new secret and, for a day each, with the two before, and makes no fourth', async () => {
    const caller = anAdmin();
    const { webhook, secret } = await service.subscribeTo(caller, receiver.url('/rotated'));
    const rotated = await service.call<{ webhook: Webhook; secret: string }>(
      webhooks.rotateSecret,
      { id: webhook.id },
      { caller },
    );
    expect(rotated.body.secret).not.toBe(secret);
    const untilMs = Date.parse(rotated.body.webhook.previousSecretUntil ?? '');
    expect(Math.abs(untilMs - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);

    await service.call(webhooks.test, { id: webhook.id }, { caller });
    const [both] = await eventually(
      () => receiver.at('/rotated'),
      (found) => found.length === 1,
    );
    expect(String(both?.headers['x-svc-signature']).split(', ')).toHaveLength(2);
    expect(String(both?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    const rotate = () => service.call(webhooks.rotateSecret, { id: webhook.id }, { caller });
    expect((await rotate()).problem).toBeNull();
    expect((await rotate()).problem).toBe('TOO_MANY_SECRETS');
    await service.call(webhooks.test, { id: webhook.id }, { caller });
    const [, three] = await eventually(
      () => receiver.at('/rotated'),
      (found) => found.length === 2,
    );
    const signatures = String(three?.headers['x-svc-signature']).split(', ');
    const sha256 = (key: string) =>
      `sha256=${createHmac('sha256', key)
        .update(three?.body ?? '')
        .digest('hex')}`;
    expect(signatures).toHaveLength(3);
    expect(signatures.slice(1)).toEqual([sha256(rotated.body.secret), sha256(secret)]);

    await service.rows(
      'UPDATE subscriptions SET previous_until = now(), oldest_until = now() WHERE id = $1',
      [webhook.id],
    );
    await service.call(webhooks.test, { id: webhook.id }, { caller });
    const [, , one] = await eventually(
      () => receiver.at('/rotated'),
      (found) => found.length === 3,
    );
    expect(String(one?.headers['x-svc-signature']).split(', ')).toHaveLength(1);
    expect((await rotate()).problem).toBeNull();
  });
});

describe('webhooks.test', () => {
  it('delivers the event that it answers to the one subscription, whatever it asks for', async () => {
    const caller = anAdmin();
    const { webhook } = await service.subscribeTo(caller, receiver.url('/tested'), {
      events: ['task.created'],
    });
    await service.subscribeTo(caller, receiver.url('/other'));
    const answer = await service.call<WebhookTestAnswer>(
      webhooks.test,
      { id: webhook.id },
      { caller },
    );
    expect(answer.body).toMatchObject({
      ok: true,
      event: { type: 'integration.test', sequence: 1 },
    });
    const [received] = await eventually(
      () => receiver.at('/tested'),
      (found) => found.length === 1,
    );
    expect(JSON.parse(received?.body.toString() ?? '')).toEqual(answer.body.event);
    expect(receiver.at('/other')).toEqual([]);
    await eventually(
      () => service.notices,
      (told) => told.some((one) => JSON.stringify(one).includes(webhook.id)),
    );
    expect(service.notices).toContainEqual(
      expect.objectContaining({
        ...{ type: 'delivery.succeeded' },
        delivery: expect.objectContaining({ webhookId: webhook.id }) as object,
      }),
    );
  });
});

describe('webhookTests.emit', () => {
  it('delivers to every subscription of the workspace that asks for it, and to no other', async () => {
    const admin = anAdmin();
    const key = aKey({ tenantId: admin.tenantId });
    await service.subscribeTo(admin, receiver.url('/all'));
    await service.subscribeTo(admin, receiver.url('/tests'), { events: ['integration.test'] });
    await service.subscribeTo(admin, receiver.url('/tasks'), { events: ['task.created'] });
    await service.subscribeTo(anAdmin(), receiver.url('/stranger'));
    const answer = await service.call<WebhookTestAnswer>(webhookTests.emit, {}, { caller: key });
    const { event } = answer.body;
    expect(event).toMatchObject({
      resource: { type: 'tenant', id: key.tenantId },
      actor: { id: key.keyId },
    });
    await eventually(
      () => [...receiver.at('/all'), ...receiver.at('/tests')],
      (all) => all.length === 2,
    );
    expect(receiver.at('/all').map(eventOf)).toEqual([event]);
    expect([...receiver.at('/tasks'), ...receiver.at('/stranger')]).toEqual([]);
    expect(await service.events(admin)).toEqual([event]);
  });

  it('emits once for a repeat with the same Idempotency-Key, and numbers without a gap', async () => {
    const caller = aKey();
    const idempotencyKey = 'once-and-again';
    const [first, again] = [
      await service.call<WebhookTestAnswer>(webhookTests.emit, {}, { caller, idempotencyKey }),
      await service.call<WebhookTestAnswer>(webhookTests.emit, {}, { caller, idempotencyKey }),
    ];
    expect(again.body).toEqual(first.body);
    await service.call(webhookTests.emit, {}, { caller });
    expect((await service.events(caller)).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('emits nothing for a preview', async () => {
    const caller = aKey();
    const answer = await service.call<Preview>(webhookTests.emit, {}, { caller, preview: true });
    expect(answer.body.difference).toMatchObject({
      before: null,
      after: { event: { type: 'integration.test' } },
    });
    expect(await service.events(caller)).toEqual([]);
    expect(await service.count('test_counters', caller)).toBe(0);
  });
});

describe('webhooks.remove', () => {
  it('takes the subscription and what waits for it', async () => {
    const caller = anAdmin();
    const { webhook } = await service.subscribeTo(caller, receiver.url('/removed'));
    await service.call(webhookTests.emit, {}, { caller: aKey({ tenantId: caller.tenantId }) });
    await eventually(
      () => Promise.resolve(receiver.at('/removed')),
      (all) => all.length === 1,
    );
    expect(await service.call(webhooks.remove, { id: webhook.id }, { caller })).toMatchObject({
      status: 200,
    });
    await service.call(webhookTests.emit, {}, { caller: aKey({ tenantId: caller.tenantId }) });
    await eventually(
      () => service.events(caller),
      (all) => all.length === 2,
    );
    expect(await service.count('deliveries', caller)).toBe(1);
    expect(receiver.at('/removed')).toHaveLength(1);
    const history = { id: webhook.id, limit: 10 };
    expect(await service.call(deliveries.list, history, { caller })).toMatchObject({ status: 404 });
    const gone = { id: newId('whk') };
    expect(await service.call(webhooks.remove, gone, { caller })).toMatchObject({ status: 404 });
  });
});

describe('a member who is no administrator', () => {
  it('is refused by the gateway, which the operations say', () => {
    expect(aMember().role).toBe('member');
    for (const operation of [...Object.values(webhooks), ...Object.values(deliveries)]) {
      expect([operation.id, operation.admin]).toEqual([operation.id, true]);
    }
  });
});
