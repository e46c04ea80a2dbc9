import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { UnknownEventType } from './bus.js';
import type { RequestEnvelope } from './envelope.js';
import { InProcessBus } from './in-process-bus.js';
import { echo, eventOf, held, refusedFor, requestOf } from './testing/messages.js';

describe('the bus of a single process', () => {
  it('carries bytes: what a sender changes afterwards does not change what arrived', async () => {
    const bus = new InProcessBus();
    const { handler, answers } = held();
    const arrived: RequestEnvelope[] = [];
    const body = Buffer.from('as answered');
    await bus.handle('mail', async (request) => {
      arrived.push(request);
      return { ...(await handler(request)), body };
    });
    const request = { ...requestOf(), input: Buffer.from('as sent') };
    const answering = bus.request('mail', request);
    request.input.fill('x');
    request.operation = 'changed';
    expect(arrived[0]?.input.toString()).toBe('as sent');
    expect(arrived[0]?.operation).toBe('conversations.archive');
    answers[0]?.();
    const answer = await answering;
    body.fill('x');
    expect(answer.body.toString()).toBe('as answered');
  });

  it('refuses what nobody serves, or serves no more', async () => {
    const bus = new InProcessBus();
    await expect(bus.request('mail', requestOf())).rejects.toMatchObject(refusedFor('no-service'));
    await (
      await bus.handle('mail', echo)
    )();
    await expect(bus.request('mail', requestOf())).rejects.toMatchObject(refusedFor('no-service'));
  });

  it('passes on what a handler throws', async () => {
    const bus = new InProcessBus();
    await bus.handle('mail', () => Promise.reject(new Error('broken')));
    await expect(bus.request('mail', requestOf())).rejects.toThrow('broken');
    await expect(bus.request('mail', requestOf())).rejects.toThrow('broken');
  });
});

describe('a deadline', () => {
  it('may pass before a handler fails: nobody is left with the failure', async () => {
    const bus = new InProcessBus();
    await bus.handle('mail', async () => {
      await sleep(30);
      throw new Error('too late to matter');
    });
    const late = bus.request('mail', requestOf({ deadlineMs: Date.now() + 10 }));
    await expect(late).rejects.toMatchObject(refusedFor('deadline'));
    // An unhandled rejection would fail this run.
    await sleep(50);
  });
});

describe('an event', () => {
  it('that takes its consumer long stays in the outbox until it is handled, and is handled once', async () => {
    const bus = new InProcessBus();
    const seen: string[] = [];
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await bus.subscribe('ledger', ['messaging'], async ({ id, resource }) => {
      seen.push(id);
      if (resource === 'cnv_1') await held;
    });
    const [slow, quick] = [eventOf('cnv_1'), eventOf('cnv_2')];
    const late = { stored: [quick.id], failure: refusedFor('deadline') };
    expect(await bus.emit([slow, quick])).toMatchObject(late);
    expect(await bus.emit([slow])).toMatchObject({ ...late, stored: [] });
    go();
    expect(await bus.emit([slow])).toEqual({ stored: [slow.id], failure: null });
    expect(seen).toEqual([slow.id, quick.id]);
  });

  it('is of the service whose outbox it left, which publishes no other’s', async () => {
    const bus = new InProcessBus();
    const publishers: unknown[] = [];
    await bus.subscribe('ledger', ['messaging'], async ({ publisher }) => {
      publishers.push(publisher);
    });
    expect(await bus.emit([{ ...eventOf('cnv_1'), publisher: 'mail' }])).toMatchObject({
      failure: null,
    });
    expect(publishers).toEqual(['mail']);
    const forged = bus.emit([{ ...eventOf('cnv_1'), publisher: 'directory' }]);
    await expect(forged).rejects.toThrow(UnknownEventType);
  });

  it('stays in the outbox while one of those that are expected to consume it is not subscribed', async () => {
    const expected = { one: { groups: ['messaging'] }, other: { groups: ['messaging'] } } as const;
    const bus = new InProcessBus({ consumers: { ...expected, third: { groups: ['tasks'] } } });
    const handled: string[] = [];
    const subscribe = (name: string) =>
      bus.subscribe(name, ['messaging'], async ({ id }) => void handled.push(`${name} ${id}`));
    const event = eventOf('cnv_1');
    await subscribe('one');
    expect(await bus.emit([event])).toMatchObject({ stored: [] });
    const stop = await subscribe('other');
    expect(await bus.emit([event])).toEqual({ stored: [event.id], failure: null });
    expect(handled).toEqual([`one ${event.id}`, `other ${event.id}`]);
    await stop();
    expect(await bus.emit([eventOf('cnv_2')])).toMatchObject({ stored: [] });
    expect(handled).toHaveLength(2);
  });

  it('that its consumer fails stays in the outbox when that is stopped', async () => {
    const bus = new InProcessBus({
      retry: { attemptsMax: 2, firstDelayMs: 60_000, delayMaxMs: 60_000 },
    });
    let tried = (): void => undefined;
    const trying = new Promise<void>((resolve) => (tried = resolve));
    await bus.subscribe('ledger', ['messaging'], async () => {
      tried();
      throw new Error('not now');
    });
    const emitting = bus.emit([eventOf('cnv_1')]);
    await trying;
    await bus.close();
    expect(await emitting).toMatchObject({ stored: [], failure: refusedFor('no-service') });
    expect(bus.deadLetters).toEqual([]);
  });
});

describe('closing', () => {
  it('of a subscription does not wait for what another service has under way', async () => {
    const bus = new InProcessBus();
    const { handler, answers } = held();
    await bus.handle('mail', handler);
    const unsubscribe = await bus.handle('access', echo);
    const answering = bus.request('mail', requestOf());
    await unsubscribe();
    answers[0]?.();
    await answering;
  });
});
