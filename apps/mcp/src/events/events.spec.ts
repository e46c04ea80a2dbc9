import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyCaller } from '@postroom/access';
import {
  eventCursor,
  invocations,
  newId,
  placeOf,
  type HandleLatestMcpMessage,
  type InvokeOperation,
} from '@postroom/contracts';
import type { OperationClient, Reading } from '@postroom/operations';
import { anAgent } from '@postroom/service-testing';
import type { FileAnswer } from '@postroom/contracts';
import type { LatestRequest } from '../latest/index.js';
import { RpcError } from '../json-rpc.js';
import { eventsOf } from './events.js';

const mailbox = 'support@acme.test';
const name = 'conversation.received';
const caller = anAgent({ scopes: ['read:conversations'], grants: { [mailbox]: 'read' } });

/** The answers of the gateway, in order, and the calls that it got. */
type Refusal = { readonly code: string; readonly fields?: object; readonly violations?: object[] };
let answers: (object | Refusal | string)[];
let asked: InvokeOperation[];
const client = {
  call: (operation: { id: string }, _caller: KeyCaller, input: InvokeOperation) => {
    if (operation.id !== invocations.invoke.id) throw new Error(operation.id);
    asked.push(input);
    const answer = answers.shift();
    if (typeof answer === 'string')
      return Promise.resolve({ problem: answer, body: Buffer.from('{}') });
    const isRefusal = typeof answer === 'object' && 'code' in answer;
    const problem = isRefusal ? { violations: [], fields: {}, ...answer } : null;
    const body = Buffer.from(JSON.stringify({ problem, body: isRefusal ? null : answer }));
    return Promise.resolve({ problem: null, body });
  },
} as unknown as OperationClient;
const { methods } = eventsOf(client);

beforeEach(() => {
  [answers, asked] = [[], []];
});

interface Asking {
  readonly who?: KeyCaller;
  readonly lastEventId?: string;
}

const call = async (
  method: string,
  params: object = {},
  { who = caller, lastEventId }: Asking = {},
) => {
  const context = { caller: who, requestId: 'req_1', deadlineMs: Date.now() + 16_000 } as Reading;
  const message = { body: '', ...(lastEventId !== undefined && { lastEventId }) };
  const request = { context, message: message as HandleLatestMcpMessage, id: 7, params };
  return methods.get(method)?.({ ...request, capabilities: {} } as LatestRequest) as Promise<
    Record<string, unknown>
  >;
};

const refusal = async (method: string, params: object, asking?: Asking): Promise<unknown> => {
  const error: unknown = await call(method, params, asking).catch((thrown: unknown) => thrown);
  return error instanceof RpcError ? [error.code, error.data] : error;
};

const anEvent = (given: object = {}) => ({
  ...{
    id: newId('evn'),
    type: name,
    occurredAt: new Date().toISOString(),
    tenantId: caller.tenantId,
  },
  ...{ apiVersion: 'v1', resource: { type: 'conversation', id: newId('cnv') }, sequence: 3 },
  ...{ actor: { type: 'system', id: null }, source: 'inbound', previous: null },
  data: {
    conversation: {
      mailbox: 'Support@acme.test',
      subject: 'Your\u200B\norder',
      preview: 'Secret words',
    },
    message: { id: 'msg_1', from: { email: 'eve@evil.test', name: 'Eve' }, text: 'Secret words' },
  },
  ...given,
});
const pageOf = (events: { id: string }[], truncated = false) => ({
  ...{ events, nextAfter: events.at(-1)?.id ?? null, truncated },
});
const cursorOf = (event: string | null, atMs = Date.now()) =>
  eventCursor(caller.keyId, { event, atMs });

describe('events/list', () => {
  it('has every type that a key may read, in three modes, with schemas', async () => {
    const { events } = (await call('events/list')) as { events: { name: string }[] };
    expect(events.map((one) => one.name)).toContain('conversation.received');
    expect(events.some((one) => one.name.startsWith('ticket.'))).toBe(false);
    expect(events[0]).toEqual({
      ...{ name, description: expect.any(String), delivery: ['poll', 'push', 'webhook'] },
      inputSchema: expect.objectContaining({ type: 'object', additionalProperties: false }),
      payloadSchema: expect.objectContaining({ type: 'object' }),
    });
    expect(await refusal('events/list', { cursor: 'x' })).toEqual([-32602, undefined]);
  });
});

describe('events/poll', () => {
  it('begins at the present end, and goes on from its cursor', async () => {
    const event = anEvent();
    answers.push(pageOf([]), pageOf([event], true));
    const begun = await call('events/poll', { name, cursor: null });
    expect(begun).toEqual({
      ...{ events: [], cursor: expect.any(String), truncated: false, hasMore: false },
      nextPollMs: expect.any(Number),
    });
    const next = await call('events/poll', { name, cursor: begun['cursor'], maxEvents: 1 });
    expect(next).toMatchObject({ hasMore: true, truncated: false });
    expect(placeOf(caller.keyId, String(next['cursor']))?.event).toBe(event.id);
    expect(asked.map(({ input }) => input)).toEqual([
      { types: name, limit: 50, wait: 0, after: 'latest' },
      { types: name, limit: 1, wait: 0 },
    ]);
  });

  it('tells of a mail whose it is and from whom, and nothing of its text', async () => {
    const event = anEvent();
    answers.push(pageOf([event]));
    const { events } = await call('events/poll', { name, cursor: cursorOf(newId('evn')) });
    const { resource, sequence, actor, source } = event;
    expect(events).toEqual([
      {
        ...{ eventId: event.id, name, timestamp: event.occurredAt },
        data: {
          ...{ resource, sequence, actor, source, mailbox: 'Support@acme.test' },
          ...{ subject: 'Your order', messageId: 'msg_1', from: 'eve@evil.test' },
        },
      },
    ]);
  });

  it('is of one mailbox where it names one', async () => {
    const other = anEvent({ data: { conversation: { mailbox: 'sales@acme.test' } } });
    const [own] = [anEvent()];
    answers.push(pageOf([other, own]));
    const { events } = await call('events/poll', {
      ...{ name, arguments: { mailbox: 'SUPPORT@acme.test' }, cursor: cursorOf(newId('evn')) },
    });
    expect(events).toMatchObject([{ eventId: own.id }]);
  });

  it.each<[string, () => object, object[]]>([
    ['has aged out', () => ({ cursor: cursorOf('evn_1') }), [{ code: 'EVENTS_AGED_OUT' }]],
    ['was before any event, days ago', () => ({ cursor: cursorOf(null, 0) }), []],
    [
      'is older than is wanted',
      () => ({ cursor: cursorOf('evn_01H00000000000000000000000'), maxAgeMs: 1 }),
      [],
    ],
  ])('says that something may be missing where its cursor %s', async (_name, params, first) => {
    answers.push(
      ...first,
      pageOf([anEvent({ occurredAt: new Date(Date.now() + 60_000).toISOString() })]),
    );
    const polled = await call('events/poll', { name, ...params() });
    expect([polled['truncated'], (polled['events'] as object[]).length]).toEqual([true, 1]);
  });

  const anywhere = { name, cursor: null };
  it.each<[string, object, Asking, unknown]>([
    ['a type that there is not', { name: 'x.y' }, {}, [-32023, { kind: 'event' }]],
    ['a type of the helpdesk', { name: 'ticket.created' }, {}, [-32023, { kind: 'event' }]],
    [
      'a type that its scopes do not cover',
      { name: 'task.created' },
      {},
      [-32024, { requiredScope: 'read:tasks' }],
    ],
    [
      'a mailbox that is not granted',
      { ...anywhere, arguments: { mailbox: 'b@acme.test' } },
      {},
      [-32024, { reason: 'MAILBOX_FORBIDDEN' }],
    ],
    [
      'arguments that there are not',
      { ...anywhere, arguments: { from: 'x' } },
      {},
      [-32602, undefined],
    ],
    ['arguments that are none', { ...anywhere, arguments: [] }, {}, [-32602, undefined]],
    [
      'a cursor of another key',
      { ...anywhere, cursor: cursorOf('evn_1') },
      { who: { ...caller, keyId: newId('key') } },
      [-32602, undefined],
    ],
    ['a cursor that is none', { ...anywhere, cursor: 7 }, {}, [-32602, undefined]],
    ['a number that is none', { ...anywhere, maxEvents: -1 }, {}, [-32602, undefined]],
  ])('refuses %s', async (_name, params, asking, expected) => {
    expect(await refusal('events/poll', params, asking)).toEqual(expected);
    expect(asked).toEqual([]);
  });
});

describe('events/stream', () => {
  const parts = async (params: object, asking?: Asking) => {
    const answer = (await call('events/stream', params, asking)) as unknown as FileAnswer;
    const frames = answer.bytes
      .toString()
      .split('\n\n')
      .filter((one) => one !== '')
      .map((one) => JSON.parse(one.slice('data: '.length)) as Record<string, never>);
    return { frames, next: answer.headers['x-svc-continue'], type: answer.headers['content-type'] };
  };
  const told = (frame: Record<string, unknown> | undefined) =>
    [frame?.['method'] ?? 'result', frame?.['params'] ?? frame?.['result']] as const;

  it('confirms where it begins, then tells the events, and says that it is alive', async () => {
    const [first, second] = [anEvent(), anEvent()];
    answers.push(pageOf([]), pageOf([first, second]), pageOf([]));
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
    const begun = await parts({ name });
    expect([begun.type, begun.frames.map(told)]).toEqual([
      'text/event-stream',
      [['notifications/events/active', { cursor: begun.next, truncated: false, _meta }]],
    ]);
    const going = await parts({ name }, { lastEventId: begun.next ?? '' });
    expect(going.frames.map(told)).toMatchObject(
      [first, second].map(({ id }) => [
        'notifications/events/event',
        { eventId: id, cursor: cursorOf(id), _meta },
      ]),
    );
    const quiet = await parts({ name }, { lastEventId: going.next ?? '' });
    expect(quiet.frames.map(told)).toEqual([
      ['notifications/events/heartbeat', { cursor: quiet.next, _meta }],
    ]);
    expect(asked.map(({ input }) => input['wait'])).toEqual([0, 8, 8]);
  });

  it('confirms anew after a gap', async () => {
    const event = anEvent();
    answers.push({ code: 'EVENTS_AGED_OUT' }, pageOf([event]));
    const { frames, next } = await parts({ name }, { lastEventId: cursorOf('evn_1') });
    expect(frames.map((one) => told(one)[0])).toEqual([
      'notifications/events/active',
      'notifications/events/event',
    ]);
    expect(told(frames[0])[1]).toMatchObject({ truncated: true });
    expect(next).toBe(cursorOf(event.id));
  });

  it.each<[string, (object | string)[], KeyCaller]>([
    ['has ended', ['UNAUTHENTICATED'], caller],
    ['may not read it any more', [], { ...caller, scopes: [] }],
  ])('ends when its key %s', async (_name, given, who) => {
    answers.push(...given);
    const { frames, next } = await parts({ name }, { who, lastEventId: cursorOf('evn_1') });
    expect(frames.map((one) => told(one)[0])).toEqual([
      'notifications/events/terminated',
      'result',
    ]);
    expect(told(frames[0])[1]).toMatchObject({ error: { code: -32024 } });
    expect(next).toBeUndefined();
  });
});

describe('events/subscribe', () => {
  const delivery = { mode: 'webhook', url: 'https://a.example/', secret: 'whsec_x' };
  const params = { name, arguments: { mailbox }, delivery };

  it('is a subscription of the key, which is ended by the same parameters', async () => {
    const subscription = { id: 'whk_1', refreshBefore: 'x', cursor: 'x', truncated: false };
    answers.push(subscription, { ok: true });
    const maxAgeMs = 5;
    const cursor = cursorOf('evn_1');
    expect(await call('events/subscribe', { ...params, cursor, maxAgeMs, ttlMs: null })).toEqual(
      subscription,
    );
    expect(
      await call('events/unsubscribe', { ...params, delivery: { url: delivery.url } }),
    ).toEqual({});
    const { url, secret } = delivery;
    expect(asked).toEqual([
      {
        operation: 'eventSubscriptions.subscribe',
        input: { url, secret, type: name, mailbox, after: 'evn_1', maxAgeMs },
      },
      { operation: 'eventSubscriptions.unsubscribe', input: { url, type: name, mailbox } },
    ]);
  });

  const limit = (code: string, fields = {}): Refusal => ({ code, fields });
  it.each<[Refusal, unknown]>([
    [
      limit('TOO_MANY_EVENT_SUBSCRIPTIONS', { max: 20 }),
      [-32025, { limit: 'subscriptions', max: 20 }],
    ],
    [limit('TOO_MANY_SECRETS'), [-32025, { limit: 'secrets' }]],
    [limit('CALLBACK_FAILED', { reason: 'timeout' }), [-32027, { reason: 'timeout' }]],
    [limit('WEBHOOK_NOT_FOUND'), [-32023, { kind: 'subscription' }]],
    [
      { code: 'INVALID_REQUEST', violations: [{ field: 'url', message: { fr: 'non', en: 'no' } }] },
      [-32602, { details: [{ field: 'url', code: 'MALFORMED', message: 'no' }] }],
    ],
  ])('answers %j in the terms of the extension', async (refused, expected) => {
    answers.push(refused);
    expect(await refusal('events/subscribe', params)).toEqual(expected);
  });

  it('wants a webhook, its URL and its secret', async () => {
    const of = (given: unknown) => refusal('events/subscribe', { ...params, delivery: given });
    expect(await of({ ...delivery, mode: 'push' })).toEqual([
      -32026,
      { feature: 'deliveryMode', value: 'push' },
    ]);
    for (const given of [undefined, { ...delivery, url: 1 }, { url: delivery.url }])
      expect(await of(given)).toEqual([-32602, undefined]);
    answers.push({ code: 'SERVICE_UNAVAILABLE' });
    expect(await refusal('events/subscribe', params)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
