import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyCaller } from '@postroom/access';
import {
  eventCursor,
  eventSubscriptions,
  newId,
  placeOf,
  shownEvents,
  verifyWebhook,
  webhookSecret,
  type EventJudgement,
  type EventSubscription,
  type SubscribeToEvents,
} from '@postroom/contracts';
import { Database, statement } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { aKey, anAdmin } from '@postroom/service-testing';
import { Receiver, type Answering, type Received } from '@postroom/testing';
import { eventually } from '@postroom/testing/until';
import fc from 'fast-check';
import { Client } from 'pg';
import { EventRecorder } from './event-recorder.js';
import { commented } from './testing/payloads.js';
import { anEvent, WebhooksTestService } from './testing/webhooks-service.js';

let service: WebhooksTestService;
let receiver: Receiver;
/** The verdicts of the gateway on the events of a key; shown where nothing stands here. */
const verdicts = new Map<string, EventJudgement['verdict'] | 'unknown'>();
/** The keys that it was asked for. */
const judged: string[] = [];

beforeAll(async () => {
  receiver = await Receiver.start();
  service = await WebhooksTestService.start();
  await service.bus.handle('access', ({ id, operation, caller }) => {
    if (operation !== shownEvents.judge.id) throw new Error(operation);
    const { keyId } = JSON.parse(caller) as KeyCaller;
    judged.push(keyId);
    const verdict = verdicts.get(keyId) ?? 'shown';
    const problem = verdict === 'unknown' ? 'SERVICE_UNAVAILABLE' : null;
    const body = Buffer.from(JSON.stringify({ verdict }));
    return Promise.resolve({ id, status: problem ? 503 : 200, headers: {}, problem, body });
  });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** The answers of endpoints to challenges, and to events, which they take otherwise. */
let verified: Answering;
const answers = new Map<string, Answering>();
const echo: Answering = ({ body }, response) => {
  const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
  response.writeHead(200).end(JSON.stringify({ challenge }));
};
beforeEach(() => {
  verified = echo;
  receiver.answer = (received, response) => {
    const isChallenge = bodyOf(received)['type'] === 'verification';
    const answer = isChallenge ? verified : answers.get(received.path);
    if (answer) answer(received, response);
    else response.writeHead(204).end();
  };
});

const bodyOf = ({ body }: Received) => JSON.parse(body.toString()) as Record<string, unknown>;
const ungranted = statement<object>(
  'spec.locks',
  `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);
/** The deliveries of a workspace that have not ended. */
const pendingOf = async (tenantId: string): Promise<number> => {
  const text = "SELECT 1 FROM deliveries WHERE tenant_id = $1 AND status = 'pending'";
  return (await service.rows(text, [tenantId])).length;
};
const secret = webhookSecret(randomBytes(32));
const type = 'task.created' as const;
let paths = 0;

/** A key's agent with a URL of its own. */
function anAgent(given: Partial<KeyCaller> = {}) {
  const caller = aKey(given);
  const path = `/agent/${(paths += 1)}`;
  const url = receiver.url(path);
  const subscribe = (input: Partial<SubscribeToEvents> = {}) =>
    service.call<EventSubscription>(
      eventSubscriptions.subscribe,
      { url, type, secret, after: 'latest', ...input },
      { caller },
    );
  const emit = async (event: Partial<Parameters<typeof anEvent>[0]> = {}) => {
    const emitted = anEvent({ tenantId: caller.tenantId, type, ...event });
    await service.emit(emitted);
    return emitted;
  };
  const got = () => receiver.at(path).filter((one) => !('type' in bodyOf(one)));
  const ids = () => got().map((one) => bodyOf(one)['eventId']);
  const received = (count: number) => eventually(got, ({ length }) => length >= count);
  return { caller, path, url, subscribe, emit, got, ids, received };
}

describe('a subscription of an agent', () => {
  it('asks the URL first, and posts what an agent may know of an event, signed', async () => {
    const { caller, path, subscribe, emit, received } = anAgent();
    const { body: subscription } = await subscribe();
    const event = await emit();
    const [posted] = await received(1);
    if (!posted) throw new Error('nothing was posted');
    const [asked] = receiver.at(path);
    expect(asked && bodyOf(asked)).toEqual({ type: 'verification', challenge: expect.any(String) });
    for (const one of [asked, posted]) {
      expect(one && verifyWebhook(one.headers, one.body, secret)).toBe(true);
      expect(one?.headers['x-mcp-subscription-id']).toBe(subscription.id);
    }
    expect(posted.headers['webhook-id']).toBe(event.id);
    const { resource, sequence, actor, source } = event;
    expect(bodyOf(posted)).toEqual({
      ...{ eventId: event.id, name: type, timestamp: event.occurredAt },
      data: { resource, sequence, actor, source },
      cursor: expect.any(String),
    });
    expect(placeOf(caller.keyId, String(bodyOf(posted)['cursor']))?.event).toBeNull();
    expect(placeOf(newId('key'), String(bodyOf(posted)['cursor']))).toBeNull();
    expect((await subscribe()).body).toMatchObject({ id: subscription.id, truncated: false });
    expect(receiver.at(path).length).toBe(2);
  });

  it.each<[string, Answering, string]>([
    ['another word', (_one, response) => response.end('{"challenge":"x"}'), 'challenge_failed'],
    ['nothing', (_one, response) => response.writeHead(204).end(), 'challenge_failed'],
    ['an error of its own', (_one, response) => response.writeHead(500).end(), 'http_5xx'],
    [
      'a redirect',
      (_one, response) => response.writeHead(302, { location: '/' }).end(),
      'http_4xx',
    ],
  ])('is refused where the URL answers %s', async (_name, answer, reason) => {
    verified = answer;
    const { caller, subscribe } = anAgent();
    const { problem, text } = await subscribe();
    expect([problem, JSON.parse(text)]).toMatchObject(['CALLBACK_FAILED', { fields: { reason } }]);
    expect(await service.count('subscriptions', caller)).toBe(0);
  });

  it.each([
    'https://10.0.0.1/',
    'http://hooks.example/',
    'https://[::1]/',
    'https://169.254.169.254/',
  ])('is refused at %s before anything is sent', async (url) => {
    const { problem } = await anAgent().subscribe({ url });
    expect(problem).toBe('INVALID_REQUEST');
  });

  it('is one of twenty of a key, which asks thirty times a minute, and of no administrator’s list', async () => {
    const { caller, subscribe, path } = anAgent();
    const urlOf = (place: number) => receiver.url(`${path}/${place}`);
    for (let place = 0; place < 20; place++)
      expect((await subscribe({ url: urlOf(place) })).problem).toBeNull();
    expect((await subscribe({ url: urlOf(20) })).problem).toBe('TOO_MANY_EVENT_SUBSCRIPTIONS');
    expect((await subscribe({ url: urlOf(3) })).problem).toBeNull();
    const admin = anAdmin({ tenantId: caller.tenantId });
    expect(
      await service.webhook(admin, (await subscribe({ url: urlOf(3) })).body.id),
    ).toBeUndefined();
    for (let times = 23; times < 30; times++)
      expect((await subscribe({ url: urlOf(3) })).problem).toBeNull();
    expect((await subscribe({ url: urlOf(3) })).problem).toBe('RATE_LIMITED');
    expect((await anAgent({ tenantId: caller.tenantId }).subscribe()).problem).toBeNull();
  });

  it('waits for four URLs of a workspace (webhooks.challenges), and leaves another one room', async () => {
    const { caller, subscribe } = anAgent();
    const hanging: (() => void)[] = [];
    verified = (received, response) => void hanging.push(() => echo(received, response));
    const four = [0, 1, 2, 3].map(() => anAgent({ tenantId: caller.tenantId }).subscribe());
    await eventually(
      () => hanging.length,
      (count) => count === 4,
    );
    expect((await subscribe()).problem).toBe('RATE_LIMITED');
    verified = echo;
    expect((await anAgent().subscribe()).problem).toBeNull();
    for (const answer of hanging) answer();
    expect((await Promise.all(four)).map(({ problem }) => problem)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('is found by its own key alone, and ended by it', async () => {
    const { caller, url, subscribe, emit, received, ids } = anAgent();
    await subscribe();
    const end = (asking: KeyCaller) =>
      service.call(eventSubscriptions.unsubscribe, { url, type }, { caller: asking });
    for (const other of [aKey({ tenantId: caller.tenantId }), aKey({ keyId: caller.keyId })])
      expect((await end(other)).problem).toBe('WEBHOOK_NOT_FOUND');
    const event = await emit();
    await received(1);
    expect((await end(caller)).problem).toBeNull();
    expect((await end(caller)).problem).toBe('WEBHOOK_NOT_FOUND');
    await emit();
    await subscribe();
    const last = await emit();
    await received(2);
    expect(ids()).toEqual([event.id, last.id]);
  });

  it('shows what the key may see at that time, and ends with the key', async () => {
    const { caller, path, subscribe, emit, received, ids } = anAgent();
    await subscribe();
    verdicts.set(caller.keyId, 'hidden');
    await emit();
    await eventually(
      () =>
        service.rows("SELECT 1 FROM deliveries WHERE status = 'succeeded' AND tenant_id = $1", [
          caller.tenantId,
        ]),
      ({ length }) => length > 0,
    );
    verdicts.set(caller.keyId, 'unknown');
    const kept = await emit();
    await eventually(
      () => judged.filter((id) => id === caller.keyId),
      ({ length }) => length > 1,
    );
    verdicts.delete(caller.keyId);
    await received(1);
    expect(ids()).toEqual([kept.id]);
    verdicts.set(caller.keyId, 'ended');
    const { tenantId } = caller;
    await service.emit(anEvent({ tenantId, type }), anEvent({ tenantId, type }));
    const told = await eventually(
      () => receiver.at(path).filter((one) => bodyOf(one)['type'] === 'terminated'),
      ({ length }) => length > 0,
    );
    expect(told[0] && verifyWebhook(told[0].headers, told[0].body, secret)).toBe(true);
    expect(await service.count('subscriptions', caller)).toBe(0);
    await eventually(
      () => pendingOf(tenantId),
      (pending) => pending === 0,
    );
    expect(receiver.at(path).filter((one) => bodyOf(one)['type'] === 'terminated')).toHaveLength(1);
    expect(ids()).toEqual([kept.id]);
  });

  it('waits longer and longer while the gateway does not judge, and ends what waits with it', async () => {
    const { caller, url, subscribe, emit } = anAgent();
    await subscribe();
    verdicts.set(caller.keyId, 'unknown');
    const hourAgo = (table: string, column: string) =>
      service.rows(
        `UPDATE ${table} SET ${column} = ${column} - interval '1 hour' WHERE tenant_id = $1`,
        [caller.tenantId],
      );
    await hourAgo('subscriptions', 'active_since');
    await emit();
    await hourAgo('deliveries', 'created_at');
    const waits = `SELECT 1 FROM deliveries WHERE tenant_id = $1 AND lease IS NULL AND attempts = 0
      AND next_at BETWEEN now() + interval '5 s' AND now() + interval '30 s'`;
    await eventually(
      () => service.rows(waits, [caller.tenantId]),
      ({ length }) => length === 1,
    );
    expect(
      (await service.call(eventSubscriptions.unsubscribe, { url, type }, { caller })).problem,
    ).toBeNull();
    expect(await pendingOf(caller.tenantId)).toBe(0);
  });

  it('is sent what is recorded after it by a transaction that began before', async () => {
    const other = 'ten_00000000000000000000000000';
    const { caller, subscribe, ids, received } = anAgent();
    const holder = new Client({ connectionString: service.database.adminUrl });
    await holder.connect();
    await holder.query('SET search_path = webhooks; BEGIN');
    await holder.query('INSERT INTO feeds (tenant_id, position) VALUES ($1, 0)', [other]);
    const event = anEvent({ tenantId: caller.tenantId, type });
    const database = service.service.get(Database);
    const recorder = new EventRecorder(database, createLog({ level: 'warn', format: 'json' }));
    // In one transaction, which waits for the feed of the first before it comes to the other.
    const recorded = [anEvent({ tenantId: other, type }), event].map((one) => {
      const { id, tenantId, resource } = one;
      const envelope = JSON.stringify(one);
      return recorder.record({ id, type, tenantId, resource: resource.id, envelope });
    });
    await eventually(
      () => database.rows(ungranted, []),
      ({ length }) => length > 0,
    );
    await subscribe();
    await holder.query('COMMIT');
    await holder.end();
    await Promise.all(recorded);
    await received(1);
    expect(ids()).toEqual([event.id]);
  });

  it('is of one mailbox where it names one, and of one type', async () => {
    const { subscribe, emit, received, ids } = anAgent();
    const of = (mailbox: string) => {
      const id = newId('cnv');
      return emit({ type: 'conversation.commented', resource: id, data: commented(id, mailbox) });
    };
    await subscribe({ type: 'conversation.commented', mailbox: 'support@acme.test' });
    await of('sales@acme.test');
    await emit();
    const own = await of('Support@acme.test');
    await received(1);
    expect(ids()).toEqual([own.id]);
  });

  it('takes no second attempt where the receiver wants none, and stays', async () => {
    const { path, subscribe, emit, received } = anAgent();
    await subscribe();
    for (const [place, code] of [410, 413].entries()) {
      answers.set(path, (_one, response) => response.writeHead(code).end());
      await emit();
      await received(place + 1);
    }
    answers.delete(path);
    const last = await emit();
    const all = await received(3);
    expect(all.map((one) => one.headers['x-svc-attempt'])).toEqual(['1', '1', '1']);
    expect(all[2]?.headers['webhook-id']).toBe(last.id);
  });
});

describe('the cursor of a subscription', () => {
  it('has nothing missed or told out of order, whenever it lapses and the service restarts', async () => {
    const step = fc.constantFrom('emit', 'emit', 'emit', 'lapse', 'restart');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const { caller, subscribe, emit, got, ids } = anAgent();
        let { cursor } = (await subscribe()).body;
        const emitted: { id: string; resource: string }[] = [];
        const resume = async () => {
          const event = placeOf(caller.keyId, cursor)?.event;
          ({ cursor } = (
            await subscribe(event == null ? { after: undefined as never } : { after: event })
          ).body);
        };
        for (const one of [...steps, 'lapse'] as const) {
          if (one === 'emit') {
            const resource = `tsk_${emitted.length % 2}`;
            emitted.push({ id: (await emit({ resource })).id, resource });
          } else if (one === 'restart') await service.restart();
          else {
            await service.rows('DELETE FROM subscriptions WHERE tenant_id = $1', [caller.tenantId]);
            await resume();
          }
        }
        await eventually(ids, (all) => emitted.every(({ id }) => all.includes(id)));
        for (const resource of ['tsk_0', 'tsk_1']) {
          const firsts = [
            ...new Set(
              got()
                .filter(
                  (one) =>
                    (bodyOf(one)['data'] as { resource: { id: string } }).resource.id === resource,
                )
                .map((one) => bodyOf(one)['eventId']),
            ),
          ];
          expect(firsts).toEqual(
            emitted.filter((event) => event.resource === resource).map(({ id }) => id),
          );
        }
      }),
      { numRuns: 6 },
    );
  });

  it('says that something may be missing when its event has aged out, or is older than is wanted', async () => {
    const { subscribe, emit, received, ids } = anAgent();
    const kept = await emit();
    const aged = await subscribe({ after: 'evn_01H00000000000000000000000' });
    expect(aged.body.truncated).toBe(true);
    await received(1);
    expect(ids()).toEqual([kept.id]);
    const { subscribe: again } = anAgent({ tenantId: kept.tenantId });
    expect((await again({ after: kept.id, maxAgeMs: 0 })).body.truncated).toBe(true);
    expect((await again({ url: receiver.url('/other'), after: newId('evn') })).problem).toBe(
      'INVALID_REQUEST',
    );
  });

  it('is that of the asked place where more than 200 events follow, of which the oldest are sent', async () => {
    const { caller, subscribe, emit } = anAgent();
    const { tenantId, keyId } = caller;
    const first = await emit();
    const later = Array.from({ length: 201 }, () => anEvent({ tenantId, type }));
    for (let from = 0; from < 201; from += 50) await service.emit(...later.slice(from, from + 50));
    verdicts.set(keyId, 'hidden');
    const { body } = await subscribe({ after: first.id });
    expect([body.truncated, placeOf(keyId, body.cursor)?.event]).toEqual([true, first.id]);
    const queued = await service.rows('SELECT event_id FROM deliveries WHERE tenant_id = $1', [
      tenantId,
    ]);
    const oldest = await service.rows(
      'SELECT event_id FROM events WHERE tenant_id = $1 AND event_id <> $2 ORDER BY position LIMIT 200',
      [tenantId, first.id],
    );
    expect(new Set(queued)).toEqual(new Set(oldest));
  });

  it('ends when it is not refreshed, and a refresh brings another secret', async () => {
    const { caller, subscribe, emit, received } = anAgent();
    const { body } = await subscribe({ ttlMs: 1 });
    const lastsMs = Date.parse(body.refreshBefore) - Date.now();
    expect(lastsMs).toBeGreaterThan(0);
    expect(lastsMs).toBeLessThanOrEqual(60_000);
    const next = webhookSecret(randomBytes(24));
    await subscribe({ secret: next });
    await emit();
    const [posted] = await received(1);
    for (const one of [secret, next])
      expect(posted && verifyWebhook(posted.headers, posted.body, one)).toBe(true);
    await service.rows('UPDATE subscriptions SET expires_at = now() WHERE tenant_id = $1', [
      caller.tenantId,
    ]);
    await emit();
    expect(await service.count('deliveries', caller)).toBe(1);
    await service.rows('SELECT end_abandoned()');
    expect(await service.count('subscriptions', caller)).toBe(0);
  });

  it.each(['', 'whsec_', `whsec_${'A'.repeat(28)}`, `whsec_${'A'.repeat(88)}`, 'A'.repeat(44)])(
    'asks for a secret of 24 to 64 bytes: %s is none',
    (given) => {
      const input = { url: 'https://a.example/', type, secret: given };
      expect(eventSubscriptions.subscribe.rule?.(input)).toHaveLength(1);
    },
  );
});

it('a cursor is its key’s alone', () => {
  const [one, other] = [newId('key'), newId('key')];
  fc.assert(
    fc.property(
      fc.option(fc.constant(newId('evn'))),
      fc.nat(),
      fc.string(),
      (event, atMs, noise) => {
        const cursor = eventCursor(one, { event, atMs });
        expect(placeOf(one, cursor)).toEqual({ event, atMs: event === null ? atMs : 0 });
        expect(placeOf(other, cursor)).toBeNull();
        expect(placeOf(one, noise)).toBeNull();
      },
    ),
  );
});
