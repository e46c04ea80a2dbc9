import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '@postroom/testing/until';
import type { Bus } from '../bus.js';
import type { Retry } from '../delivery.js';
import type { RequestEnvelope } from '../envelope.js';
import { dataOf, echo, eventOf, held, refusedFor, replyTo, requestOf } from './messages.js';

/** A bus as two processes see it; they may be one. */
export interface World {
  readonly caller: Bus;
  readonly server: Bus;
  /** Resolves when all servers and subscriptions so far are ready. */
  ready(): Promise<void>;
  /** The dead letters of a consumer: event id and cause. */
  deadLetters(
    consumer: string,
  ): Promise<readonly { readonly id: string; readonly cause: string }[]>;
  dispose(): Promise<void>;
}

export interface WorldOptions {
  readonly retry?: Retry;
}

/** Consumers that a world's bus knows. */
export const consumers = ['ledger', 'mirror'] as const;

const quickRetry: Retry = { attemptsMax: 3, firstDelayMs: 20, delayMaxMs: 100 };

/**
 * The guarantees of every adapter of the port, in one file, so that no adapter can leave some out.
 */
export function conformsToTheBus(open: (options: WorldOptions) => Promise<World>): void {
  const worlds: World[] = [];
  const world = async (options: WorldOptions = {}): Promise<World> => {
    const opened = await open({ retry: quickRetry, ...options });
    worlds.push(opened);
    return opened;
  };
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((opened) => opened.dispose()));
  });
  describe('requests', () => conformingRequests(world));
  describe('order and size of requests', () => conformingOrder(world));
  describe('closing', () => conformingClose(world));
  describe('events', () => conformingEvents(world));
  describe('an event that cannot be handled', () => conformingFailures(world));
}

type Open = (options?: WorldOptions) => Promise<World>;

function conformingRequests(world: Open): void {
  it('reach the service they name, and their replies come back as they were given', async () => {
    const { caller, server, ready } = await world();
    await server.handle('access', () => Promise.reject(new Error('not for access')));
    const seen: RequestEnvelope[] = [];
    await server.handle('mail', (request) => {
      seen.push(request);
      return Promise.resolve({
        ...replyTo(request, 'body é'),
        status: 404,
        headers: { 'set-cookie': ['a', 'b'], 'x-é': 'ü' },
        problem: 'CONVERSATION_NOT_FOUND',
      });
    });
    await ready();
    const request = requestOf({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      caller: '{"name":"clé 🙂"}',
      idempotencyKey: 'k',
      orderKey: 'tnt_1/cnv_1',
      replyTo: caller.replyTo,
    });
    expect(await caller.request('mail', request)).toEqual({
      id: request.id,
      status: 404,
      headers: { 'set-cookie': ['a', 'b'], 'x-é': 'ü' },
      problem: 'CONVERSATION_NOT_FOUND',
      body: Buffer.from('body é'),
    });
    expect(seen).toEqual([request]);
  });

  it('get each its own reply, 500 at a time', async () => {
    const { caller, server, ready } = await world();
    await server.handle('mail', async (request) => {
      await sleep(Math.random() * 20);
      return echo(request);
    });
    await ready();
    const requests = Array.from({ length: 500 }, (_, i) =>
      requestOf({ input: Buffer.from(`input ${i}`) }),
    );
    const answers = await Promise.all(requests.map((request) => caller.request('mail', request)));
    expect(answers.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(answers.map(({ body }) => String(body))).toEqual(requests.map((_, i) => `input ${i}`));
  });

  it('are answered while a slow one is in flight', async () => {
    const { caller, server, ready } = await world();
    const { handler, answers } = held();
    await server.handle('mail', (request) =>
      request.operation === 'slow' ? handler(request) : echo(request),
    );
    await ready();
    const slow = caller.request('mail', requestOf({ operation: 'slow', orderKey: 'a' }));
    const fast = Array.from({ length: 50 }, (_, i) =>
      caller.request('mail', requestOf({ orderKey: i % 2 ? `b${i}` : null })),
    );
    expect(await Promise.all(fast)).toHaveLength(50);
    answers[0]?.();
    expect((await slow).status).toBe(200);
  });

  it('end at their deadline, whether nobody serves or the handler is slow', async () => {
    const { caller, server, ready } = await world();
    const { handler, answers } = held();
    await server.handle('mail', handler);
    await ready();
    const late = (): RequestEnvelope => requestOf({ deadlineMs: Date.now() + 300 });
    await expect(caller.request('access', late())).rejects.toMatchObject({
      name: 'BusUnavailable',
    });
    await expect(caller.request('mail', late())).rejects.toMatchObject(refusedFor('deadline'));
    for (const answer of answers) answer();
  });
}

function conformingOrder(world: Open): void {
  it('run in order and one by one within an order key, and concurrently to other keys', async () => {
    const { caller, server, ready } = await world();
    const seen = new Map<string, number[]>();
    const running = new Map<string, number>();
    let most = 0;
    await server.handle('mail', async (request) => {
      const key = request.orderKey ?? '';
      running.set(key, (running.get(key) ?? 0) + 1);
      expect(running.get(key)).toBe(1);
      most = Math.max(most, [...running.values()].filter((count) => count > 0).length);
      seen.set(key, [...(seen.get(key) ?? []), Number(request.input)]);
      await sleep(Math.random() * 8);
      running.set(key, 0);
      return replyTo(request);
    });
    await ready();
    const count = 30;
    const requests = Array.from({ length: count * 4 }, (_, i) =>
      requestOf({ orderKey: `tnt/${i % 4}`, input: Buffer.from(String(Math.floor(i / 4))) }),
    );
    const answers = await Promise.all(requests.map((request) => caller.request('mail', request)));
    expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
    const inOrder = Array.from({ length: count }, (_, i) => i);
    expect([...seen.values()]).toEqual([inOrder, inOrder, inOrder, inOrder]);
    expect(most).toBeGreaterThan(1);
  });

  it('carry a body of 1 MiB each way, and refuse one of 5 MB at once', async () => {
    const { caller, server, ready } = await world();
    await server.handle('mail', echo);
    await ready();
    const input = Buffer.alloc(1024 * 1024, 'x');
    const { body } = await caller.request('mail', requestOf({ input }));
    expect(body.equals(input)).toBe(true);
    const large = requestOf({ input: Buffer.alloc(5_000_000) });
    await expect(caller.request('mail', large)).rejects.toMatchObject({ name: 'RecordTooLarge' });
  });

  it('get a failure for a reply that is too large', async () => {
    const { caller, server, ready } = await world();
    await server.handle('mail', (request) =>
      Promise.resolve({ ...replyTo(request), body: Buffer.alloc(5_000_000) }),
    );
    await ready();
    const answer = await caller.request('mail', requestOf());
    expect(answer).toMatchObject({ status: 500, problem: 'INTERNAL' });
  });
}

function conformingClose(world: Open): void {
  it('of a service answers what is in flight first', async () => {
    const { caller, server, ready } = await world();
    const { handler, answers } = held();
    const unsubscribe = await server.handle('mail', handler);
    await ready();
    const answering = caller.request('mail', requestOf());
    await until(() => answers.length === 1);
    let ended = false;
    const ending = unsubscribe().then(() => (ended = true));
    await sleep(50);
    expect(ended).toBe(false);
    answers[0]?.();
    expect((await answering).status).toBe(200);
    await ending;
  });

  it('of a service lets it be served again', async () => {
    const { caller, server, ready } = await world();
    const unsubscribe = await server.handle('mail', echo);
    await expect(server.handle('mail', echo)).rejects.toThrow('mail is served already');
    await unsubscribe();
    await server.handle('mail', echo);
    await ready();
    expect((await caller.request('mail', requestOf())).status).toBe(200);
  });

  it('refuses new work, and waits for the requests in flight', async () => {
    const { caller, server, ready } = await world();
    const { handler, answers } = held();
    await server.handle('mail', handler);
    await ready();
    const answering = caller.request('mail', requestOf());
    await until(() => answers.length === 1);
    let isClosed = false;
    const closing = caller.close().then(() => (isClosed = true));
    await expect(caller.request('mail', requestOf())).rejects.toMatchObject(refusedFor('closed'));
    await expect(caller.emit([eventOf('cnv_1')])).rejects.toMatchObject(refusedFor('closed'));
    await expect(caller.handle('access', echo)).rejects.toMatchObject(refusedFor('closed'));
    await expect(
      caller.subscribe('ledger', ['messaging'], async () => undefined),
    ).rejects.toMatchObject(refusedFor('closed'));
    await sleep(50);
    expect(isClosed).toBe(false);
    answers[0]?.();
    expect((await answering).status).toBe(200);
    await closing;
  });
}

function conformingEvents(world: Open): void {
  it('reach every consumer of their group, as they were emitted', async () => {
    const { caller, server, ready } = await world();
    const seen: Record<string, unknown[]> = { ledger: [], mirror: [] };
    for (const consumer of consumers) {
      await server.subscribe(consumer, ['messaging'], async (event) => {
        seen[consumer]?.push(event);
      });
    }
    await ready();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const event = { ...eventOf('cnv_é', 'ü'), traceparent };
    await caller.emit([event, eventOf('cnt_1', null, 'contact.created')]);
    // It has the same key, and so comes behind every delivery of the first event.
    const marker = eventOf('cnv_é', 'marker');
    await caller.emit([marker]);
    await until(() => Object.values(seen).every((got) => got.length >= 2));
    expect(seen).toEqual({ ledger: [event, marker], mirror: [event, marker] });
  });

  it('keep their order per tenant and resource, one by one, and run concurrently to others', async () => {
    const { caller, server, ready } = await world();
    const seen = new Map<string, unknown[]>();
    let running = 0;
    let most = 0;
    await server.subscribe('ledger', ['messaging'], async (event) => {
      most = Math.max(most, (running += 1));
      await sleep(Math.random() * 10);
      seen.set(event.resource, [...(seen.get(event.resource) ?? []), dataOf(event)]);
      running -= 1;
    });
    await ready();
    const inOrder = Array.from({ length: 25 }, (_, i) => i);
    const resources = ['cnv_1', 'cnv_2', 'cnv_3', 'cnv_4'];
    await caller.emit(inOrder.flatMap((i) => resources.map((resource) => eventOf(resource, i))));
    const count = (): number => [...seen.values()].flat().length;
    await until(() => count() >= inOrder.length * resources.length);
    expect(resources.map((resource) => seen.get(resource))).toEqual(resources.map(() => inOrder));
    expect(most).toBeGreaterThan(1);
  });

  it('of a type outside the list are refused, and with them the whole call', async () => {
    const { caller, server, ready } = await world();
    const seen: string[] = [];
    await server.subscribe('ledger', ['messaging'], async ({ id }) => void seen.push(id));
    await ready();
    const unknown = Object.assign(eventOf('cnv_1'), { type: 'conversation.painted' });
    await expect(caller.emit([eventOf('cnv_1'), unknown])).rejects.toMatchObject({
      name: 'UnknownEventType',
      type: 'conversation.painted',
    });
    const after = eventOf('cnv_1');
    await caller.emit([after]);
    await until(() => seen.length > 0);
    expect(seen).toEqual([after.id]);
  });

  it('are reported once they are stored', async () => {
    const { caller } = await world();
    const events = [eventOf('cnv_1'), eventOf('cnv_2'), eventOf('cnt_1', null, 'contact.created')];
    expect(await caller.emit(events)).toEqual({
      stored: events.map(({ id }) => id),
      failure: null,
    });
  });

  it('that are too large are refused', async () => {
    const { caller } = await world();
    const large = { ...eventOf('cnv_1'), envelope: JSON.stringify('x'.repeat(5_000_000)) };
    await expect(caller.emit([large])).rejects.toMatchObject({ name: 'RecordTooLarge' });
  });
}

function conformingFailures(world: Open): void {
  it('is delivered again until it is handled, before those behind it and concurrently to those of others', async () => {
    const retry = { attemptsMax: 1_000, firstDelayMs: 20, delayMaxMs: 20 };
    const { caller, server, ready } = await world({ retry });
    const seen: string[] = [];
    let failures = 0;
    await server.subscribe('ledger', ['messaging'], async (event) => {
      const name = `${event.resource} ${String(dataOf(event))}`;
      const isBehind = failures < 2 || !seen.includes('cnv_2 c');
      if (name === 'cnv_1 a' && isBehind) {
        failures += 1;
        throw new Error('not yet');
      }
      seen.push(name);
    });
    await ready();
    await caller.emit([eventOf('cnv_1', 'a'), eventOf('cnv_1', 'b'), eventOf('cnv_2', 'c')]);
    await until(() => seen.length === 3);
    expect(seen).toEqual(['cnv_2 c', 'cnv_1 a', 'cnv_1 b']);
  });

  it('is dead-lettered with its cause after the last attempt, and those behind it go on', async () => {
    const { caller, server, ready, deadLetters } = await world();
    const seen: unknown[] = [];
    let attempts = 0;
    await server.subscribe('ledger', ['messaging'], async (event) => {
      if (dataOf(event) === 'poison') {
        attempts += 1;
        throw new Error('I cannot eat this');
      }
      seen.push(dataOf(event));
    });
    await ready();
    const poison = eventOf('cnv_1', 'poison');
    await caller.emit([poison, eventOf('cnv_1', 'after')]);
    await until(() => seen.length === 1);
    expect(attempts).toBe(quickRetry.attemptsMax);
    expect(await deadLetters('ledger')).toEqual([
      { id: poison.id, cause: 'Error: I cannot eat this' },
    ]);
    expect(await deadLetters('mirror')).toEqual([]);
  });
}
