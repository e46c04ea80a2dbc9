import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, verifyWebhook, webhooks } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { eventOf, hashOf, Receiver, type Answering } from '@postroom/testing';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { eventually } from '@postroom/testing/until';
import { commented } from './testing/payloads.js';
import { anEvent, WebhooksTestService } from './testing/webhooks-service.js';

let service: WebhooksTestService;
let receiver: Receiver;

/** The answers of paths; 204 otherwise. */
const answers = new Map<string, Answering>();

beforeAll(async () => {
  receiver = await Receiver.start();
  receiver.answer = (received, response) => {
    const answer = answers.get(received.path);
    if (answer) answer(received, response);
    else response.writeHead(204).end();
  };
  service = await WebhooksTestService.start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let paths = 0;
const aPath = (answer?: Answering): string => {
  paths += 1;
  const path = `/hook/${paths}`;
  if (answer) answers.set(path, answer);
  return path;
};

const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (_received, response) =>
    void response.writeHead(code, headers).end(`answered ${code}`);

/** A workspace with one subscription; what the endpoint gets. */
async function subscribed(answer?: Answering, events: never[] | [string] = []) {
  const admin = anAdmin();
  const path = aPath(answer);
  const { webhook, secret } = await service.subscribeTo(admin, receiver.url(path), {
    events: events as never[],
  });
  const got = (count: number) =>
    eventually(
      () => receiver.at(path),
      (all) => all.length >= count,
    );
  const emit = (given = {}) => {
    const event = anEvent({ tenantId: admin.tenantId, ...given });
    return service.emit(event).then(() => event);
  };
  return { admin, id: webhook.id, secret, path, got, emit };
}

describe('a delivery', () => {
  it('is the event as the outbox has it, signed in both ways', async () => {
    const { got, emit, secret, admin, id } = await subscribed();
    const began = Math.floor(Date.now() / 1000);
    const event = await emit({ type: 'task.created' });
    const [received] = await got(1);
    if (!received) throw new Error('nothing received');
    const { headers, body } = received;
    expect(body.toString()).toBe(JSON.stringify(event));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.id,
      'x-svc-event': 'task.created',
      'x-svc-attempt': '1',
    });
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers['x-svc-signature']).toBe(`sha256=${hex}`);
    expect(Number(headers['webhook-timestamp'])).toBeGreaterThanOrEqual(began);
    expect(Number(headers['webhook-timestamp'])).toBeLessThanOrEqual(Date.now() / 1000);
    const [delivery] = await service.settled(admin, id);
    expect(delivery).toMatchObject({
      id: headers['x-svc-delivery'],
      eventId: event.id,
      status: 'succeeded',
    });
  });

  it('is accepted by the verifiers of Standard Webhooks and Svix, and by ours', async () => {
    const { got, emit, secret } = await subscribed();
    const event = await emit();
    const [received] = await got(1);
    const headers = received?.headers as Record<string, string>;
    const body = received?.body.toString() ?? '';
    expect(new StandardWebhook(secret).verify(body, headers)).toEqual(event);
    expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new SvixWebhook(secret).verify(`${body} `, headers)).toThrow();
    expect(verifyWebhook(headers, body, secret)).toBe(true);
    expect(verifyWebhook(headers, `${body} `, secret)).toBe(false);
    expect(verifyWebhook(headers, body, `${secret.slice(0, -4)}AAA=`)).toBe(false);
    expect(verifyWebhook(headers, body, secret, Date.now() + 600_000)).toBe(false);
    expect(verifyWebhook({ ...headers, 'webhook-id': 'evn_other' }, body, secret)).toBe(false);
    expect(verifyWebhook({}, body, secret)).toBe(false);
  });

  it('is made once for an event that comes twice', async () => {
    const { got, emit, admin } = await subscribed();
    const event = await emit();
    await service.emit(event);
    await service.emit(anEvent({ ...event, resource: event.resource.id }));
    await emit();
    expect(await got(2)).toHaveLength(2);
    expect(await service.count('events', admin)).toBe(2);
    expect(await service.count('deliveries', admin)).toBe(2);
  });

  it('goes to subscriptions that ask for the type, by either name of a comment', async () => {
    const admin = anAdmin();
    const asked = {
      '/comments/all': [],
      '/comments/alias': ['comment.added'],
      '/comments/name': ['conversation.commented'],
      '/comments/both': ['comment.added', 'conversation.commented'],
      '/comments/none': ['task.created'],
    } as const;
    for (const [path, events] of Object.entries(asked)) {
      await service.subscribeTo(admin, receiver.url(path), { events: [...events] });
    }
    const id = newId('cnv');
    const type = 'conversation.commented';
    await service.emit(
      anEvent({ tenantId: admin.tenantId, type, resource: id, data: commented(id) }),
    );
    const at = (path: string) =>
      receiver.at(path).map((one) => [one.headers['x-svc-event'], eventOf(one).type]);
    await eventually(
      () => Object.keys(asked).flatMap(at),
      (all) => all.length === 4,
    );
    const [full, alias] = ['conversation.commented', 'comment.added'];
    expect(Object.keys(asked).map(at)).toEqual([
      [[full, full]],
      [[alias, alias]],
      [[full, full]],
      [[full, full]],
      [],
    ]);
  });

  it('costs a workspace without a subscription one row', async () => {
    const { tenantId } = anAdmin();
    await service.emit(anEvent({ tenantId }), anEvent({ tenantId }));
    const tables = ['events', 'deliveries', 'attempts', 'inbox', 'replies', 'outbox'];
    const counts: number[] = [];
    // One after the other: they are asked over one connection.
    for (const table of tables) counts.push(await service.count(table, { tenantId }));
    expect(counts).toEqual([2, 0, 0, 0, 0, 0]);
  });

  it('is of no type outside the list', async () => {
    const event = anEvent({ tenantId: anAdmin().tenantId });
    const record = { id: event.id, tenantId: event.tenantId, resource: 'x', envelope: '{}' };
    await expect(
      service.bus.emit([{ ...record, type: 'payment.made' as 'task.created' }]),
    ).rejects.toThrow('no such event type');
  });

  it('is of a large event as of any, and of none that the bus refuses: it stays in the outbox', async () => {
    const { got, emit } = await subscribed();
    const filler = 'é'.repeat(600_000);
    const event = await emit({ data: { filler } });
    const [received] = await got(1);
    expect(received?.body.toString()).toBe(JSON.stringify(event));
    const huge = { filler: 'x'.repeat(5 * 1024 * 1024) };
    await expect(emit({ data: huge })).rejects.toThrow('the bus carries');
  });
});

describe('the attempts', () => {
  it('are four, with the same id and bytes each, and then the delivery has failed', async () => {
    const { got, emit, admin, id } = await subscribed(status(500));
    const event = await emit();
    await got(4);
    const [delivery] = await service.settled(admin, id);
    const all = await got(4);
    expect(delivery?.status).toBe('failed');
    expect(delivery?.attempts).toEqual(
      [1, 2, 3, 4].map((number) =>
        expect.objectContaining({ number, status: 500, error: 'status', responseExcerpt: null }),
      ),
    );
    expect(all).toHaveLength(4);
    expect(new Set(all.map(hashOf)).size).toBe(1);
    expect(all.map(({ headers }) => headers['x-svc-attempt'])).toEqual(['1', '2', '3', '4']);
    expect(new Set(all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.id]));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await got(4)).toHaveLength(4);
  });

  it('end with the first that succeeds', async () => {
    let calls = 0;
    const { got, emit, admin, id } = await subscribed((received, response) => {
      calls += 1;
      status(calls === 1 ? 503 : 200)(received, response);
    });
    await emit();
    await got(2);
    const [delivery] = await service.settled(admin, id);
    expect(delivery).toMatchObject({ status: 'succeeded', nextAttemptAt: null });
    expect(delivery?.attempts.map(({ status: http, error }) => [http, error])).toEqual([
      [503, 'status'],
      [200, null],
    ]);
  });

  it('follow no redirect', async () => {
    const target = aPath();
    const { emit, admin, id } = await subscribed(status(302, { location: receiver.url(target) }));
    await emit();
    const [delivery] = await service.settled(admin, id);
    expect(delivery?.attempts.map(({ status: http }) => http)).toEqual([302, 302, 302, 302]);
    expect(receiver.at(target)).toEqual([]);
  });

  it.each([
    [429, '60', 60_000],
    [503, '999999999', 3_600_000],
    [503, 'Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
  ])(
    'wait as long as the receiver asks for, an hour at most: %d, Retry-After %s',
    async (code, asked, wantedMs) => {
      const { emit, admin, id, got } = await subscribed(status(code, { 'retry-after': asked }));
      const began = Date.now();
      await emit();
      await got(1);
      const [delivery] = await eventually(
        () => service.history(admin, id),
        ([one]) => one?.attempts[0]?.status === code,
      );
      const nextMs = Date.parse(delivery?.nextAttemptAt ?? '');
      expect(nextMs).toBeGreaterThanOrEqual(began + wantedMs);
      expect(nextMs).toBeLessThan(Date.now() + wantedMs + 1_000);
    },
  );

  it('are recorded before anything is sent', async () => {
    const seen: unknown[] = [];
    const { emit, admin, id, got } = await subscribed((received, response) => {
      void service
        .history(admin, id)
        .then(([delivery]) => seen.push(delivery?.attempts))
        .then(() => status(204)(received, response));
    });
    await emit();
    await got(1);
    await eventually(
      () => seen,
      (all) => all.length === 1,
    );
    expect(seen).toMatchObject([[{ number: 1, durationMs: null, error: null }]]);
  });

  it('that a crash cut count, and are never more than four', async () => {
    const { emit, admin, id, got } = await subscribed(status(500));
    await emit();
    await service.settled(admin, id);
    // As a process that died in its third attempt, and another in the fourth, leave it.
    for (const [attempts, wanted] of [
      [3, 4],
      [4, 4],
    ] as const) {
      await service.rows(`DELETE FROM attempts WHERE tenant_id = $1 AND number >= $2`, [
        admin.tenantId,
        attempts,
      ]);
      await service.rows(
        `UPDATE deliveries SET status = 'pending', attempts = $2, lease = -1, leased_at = now() - interval '1 minute', next_at = now() WHERE tenant_id = $1`,
        [admin.tenantId, attempts],
      );
      const [delivery] = await service.settled(admin, id);
      expect(delivery?.status).toBe('failed');
      expect(delivery?.attempts).toHaveLength(wanted);
      expect(delivery?.attempts[attempts - 1]?.error).toBe('interrupted');
    }
    // Four as usual, one more after the third was cut, and none after the fourth.
    expect(await got(5)).toHaveLength(5);
  });

  it('of a process that has lost its lease change nothing', async () => {
    let release = (): void => undefined;
    const { emit, admin, id, got } = await subscribed((received, response) => {
      release = () => status(200)(received, response);
    });
    await emit();
    await got(1);
    await service.rows(`UPDATE deliveries SET lease = lease + 1000 WHERE tenant_id = $1`, [
      admin.tenantId,
    ]);
    release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await service.history(admin, id)).toMatchObject([{ status: 'pending' }]);
  });
});

describe('a receiver that answers 410', () => {
  it('disables its subscription, which is audited, and gets nothing more', async () => {
    const { emit, admin, id, path } = await subscribed(status(410));
    await emit();
    const webhook = await eventually(
      () => service.webhook(admin, id),
      (one) => one?.status === 'disabled',
    );
    expect(webhook).toMatchObject({ disabledReason: 'gone', version: 2 });
    await emit();
    expect(receiver.at(path)).toHaveLength(1);
    expect(await service.count('deliveries', admin)).toBe(1);
    const audited = { action: 'webhooks.disable', subjectId: id, actorType: 'system' };
    await eventually(
      () => service.audited,
      (all) => all.some(({ action }) => action === 'webhooks.disable'),
    );
    expect(service.audited).toContainEqual(expect.objectContaining(audited));
    await eventually(
      () => service.notices,
      (all) => all.some((one) => JSON.stringify(one).includes(id)),
    );
    expect(service.notices).toContainEqual(
      expect.objectContaining({ webhook: { id, disabledReason: 'gone' } }),
    );
  });

  it('is sent events again once an administrator has enabled it, but not those of between', async () => {
    const { emit, admin, id, got, path } = await subscribed(status(410));
    await emit();
    await eventually(
      () => service.webhook(admin, id),
      (one) => one?.status === 'disabled',
    );
    await emit();
    answers.set(path, status(200));
    await service.call(webhooks.update, { id, status: 'active' as const }, { caller: admin });
    const event = await emit();
    const all = await got(2);
    expect(all.slice(1).map(eventOf)).toEqual([event]);
  });
});
