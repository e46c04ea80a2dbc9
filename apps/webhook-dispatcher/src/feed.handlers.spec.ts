import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { KeyCaller } from '@postroom/access';
import {
  eventGroups,
  feed,
  newId,
  type EventPage,
  type EventType,
  type ReadFeed,
  type Scope,
} from '@postroom/contracts';
import { aKey } from '@postroom/service-testing';
import fc from 'fast-check';
import { eventually, until } from '@postroom/testing/until';
import { commented } from './testing/payloads.js';
import { anEvent, WebhooksTestService } from './testing/webhooks-service.js';
import { coveredTypes, FeedWaits } from './feed.handlers.js';

let service: WebhooksTestService;

beforeAll(async () => {
  service = await WebhooksTestService.start();
});
afterAll(() => service.close());

const member = { id: newId('mbr'), email: 'max@acme.test' };

/** A key that all events of its workspace are shown to, but those of mailboxes. */
const aReader = (given: Partial<KeyCaller> = {}): KeyCaller => aKey({ member, ...given });

const read = async (caller: KeyCaller, given: Partial<ReadFeed> = {}) =>
  service.call<EventPage>(
    feed.read,
    { limit: 100, wait: 0, ...given },
    { caller, timeoutMs: 38_000 },
  );

/** A read that waits, once it has found nothing yet. */
async function waiting(
  caller: KeyCaller,
  given: Partial<ReadFeed>,
): Promise<{ answer: ReturnType<typeof read> }> {
  const waits = jest.spyOn(FeedWaits.prototype, 'until');
  const answer = read(caller, given);
  await until(() => waits.mock.calls.length > 0);
  waits.mockRestore();
  return { answer };
}

const idsOf = ({ body }: { body: EventPage }): string[] => body.events.map(({ id }) => id);

describe('the feed', () => {
  it('has the events as they were emitted, in the order in which they were recorded', async () => {
    const caller = aReader();
    const events = Array.from({ length: 5 }, () =>
      anEvent({ tenantId: caller.tenantId, type: 'task.created' }),
    );
    for (const event of events) await service.emit(event);
    await service.emit(anEvent({ tenantId: aKey().tenantId }));
    const { body } = await read(caller);
    expect(body).toEqual({ events, nextAfter: events.at(-1)?.id, truncated: false });
  });

  it('has every event once, whatever the pages, and a page never gains an earlier one', async () => {
    const caller = aReader();
    const emitting = (async () => {
      for (let i = 0; i < 15; i++) {
        const batch = Array.from({ length: 6 }, () => anEvent({ tenantId: caller.tenantId }));
        await Promise.all(batch.map((event) => service.emit(event)));
      }
    })();
    const progress = { isOver: false };
    void emitting.then(() => (progress.isOver = true));
    // A consumer that reads while others write, and never looks back.
    const seen: string[] = [];
    let after: string | null = null;
    for (let isLast = false; !isLast;) {
      isLast = progress.isOver;
      const limit = (seen.length % 7) + 1;
      const place = after === null ? {} : { after };
      const { body }: { body: EventPage } = await read(caller, { limit, ...place });
      seen.push(...body.events.map(({ id }) => id));
      after = body.nextAfter;
      isLast &&= !body.truncated;
    }
    await emitting;
    const whole: string[] = [];
    for (let from: string | undefined, more = true; more;) {
      const { body }: { body: EventPage } = await read(
        caller,
        from === undefined ? {} : { after: from },
      );
      whole.push(...body.events.map(({ id }) => id));
      [from, more] = [body.nextAfter ?? undefined, body.truncated];
    }
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(90);
  });

  it('answers what comes within the wait, at once', async () => {
    const caller = aReader();
    const before = anEvent({ tenantId: caller.tenantId });
    await service.emit(before);
    const began = Date.now();
    const { answer } = await waiting(caller, { after: before.id, wait: 20 });
    const event = anEvent({ tenantId: caller.tenantId });
    await service.emit(event);
    expect(idsOf(await answer)).toEqual([event.id]);
    // An answer at the end of the wait alone would need all of it, on any machine.
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('begins at its present end with `latest`', async () => {
    const caller = aReader();
    const latest = { after: 'latest', wait: 0 };
    const nothing = { events: [], nextAfter: null, truncated: false };
    expect((await read(caller, latest)).body).toEqual(nothing);
    const [first, second] = [0, 1].map(() => anEvent({ tenantId: caller.tenantId }));
    if (!first || !second) throw new Error('two were made');
    await service.emit(first);
    expect((await read(caller, latest)).body).toMatchObject({ events: [], nextAfter: first.id });
    const { answer } = await waiting(caller, { ...latest, wait: 20 });
    await service.emit(second);
    expect(idsOf(await answer)).toEqual([second.id]);
    for (const after of ['latest ', 'LATEST', 'evn_1', 'x'])
      expect((await read(caller, { after })).problem).toBe('INVALID_REQUEST');
  });

  it('answers an empty page when nothing comes, and keeps the place', async () => {
    const caller = aReader();
    const event = anEvent({ tenantId: caller.tenantId });
    await service.emit(event);
    const began = Date.now();
    const { body } = await read(caller, { after: event.id, wait: 1 });
    expect(body).toEqual({ events: [], nextAfter: event.id, truncated: false });
    expect(Date.now() - began).toBeGreaterThanOrEqual(990);
    expect((await read(aReader())).body).toEqual({ events: [], nextAfter: null, truncated: false });
  });

  it('lets a hundred readers of a workspace wait, and refuses those past its share', async () => {
    const caller = aReader();
    const problems: (string | null)[] = [];
    const asked = Array.from({ length: 140 }, async () => {
      const { problem } = await read(caller, { wait: 20 });
      problems.push(problem);
    });
    await eventually(
      () => problems,
      ({ length }) => length > 0 && length <= 40,
    );
    expect(new Set(problems)).toEqual(new Set(['RATE_LIMITED']));
    expect(await read(aReader(), { wait: 1 })).toMatchObject({ problem: null });
    await service.emit(anEvent({ tenantId: caller.tenantId }));
    await Promise.all(asked);
    expect(problems.filter((problem) => problem === null).length).toBeGreaterThanOrEqual(100);
  });

  it('refuses an id that it does not know, also one of another workspace', async () => {
    const stranger = anEvent({ tenantId: aKey().tenantId });
    await service.emit(stranger);
    for (const after of [newId('evn'), stranger.id, 'evn_00000000000000000000000000']) {
      const answer = await read(aReader(), { after });
      expect([answer.problem, answer.text.includes('"after"')]).toEqual(['INVALID_REQUEST', true]);
    }
  });

  it('says what is the oldest event when the id is of one that has aged out', async () => {
    const caller = aReader();
    const event = anEvent({ tenantId: caller.tenantId });
    await service.emit(event);
    const answer = await read(caller, { after: 'evn_01H00000000000000000000000' });
    expect([answer.status, answer.problem]).toEqual([410, 'EVENTS_AGED_OUT']);
    expect(JSON.parse(answer.text)).toMatchObject({ fields: { oldest: event.id } });
  });

  it('shows the types that are asked for, by either name of a comment', async () => {
    const caller = aReader({ grants: { 'support@acme.test': 'read' } });
    const { tenantId } = caller;
    const id = newId('cnv');
    const comment = anEvent({
      tenantId,
      type: 'conversation.commented',
      resource: id,
      data: commented(id),
    });
    const task = anEvent({ tenantId, type: 'task.created' });
    await service.emit(comment);
    await service.emit(task);
    expect(idsOf(await read(caller, { types: 'comment.added' }))).toEqual([comment.id]);
    expect(idsOf(await read(caller, { types: 'task.created, task.updated' }))).toEqual([task.id]);
    const { body } = await read(caller, { types: 'task.deleted' });
    expect(body).toEqual({ events: [], nextAfter: task.id, truncated: false });
  });

  it('shows events of the mailboxes that are granted, and of no other', async () => {
    const { tenantId } = aKey();
    const of = (mailbox: string) => {
      const id = newId('cnv');
      return anEvent({
        tenantId,
        type: 'conversation.commented',
        resource: id,
        data: commented(id, mailbox),
      });
    };
    const [support, sales] = [of('Support@acme.test'), of('sales@acme.test')];
    await service.emit(support);
    await service.emit(sales);
    const ids = async (...granted: string[]) =>
      idsOf(
        await read(
          aReader({ tenantId, grants: Object.fromEntries(granted.map((one) => [one, 'read'])) }),
        ),
      );
    expect(await ids('support@acme.test')).toEqual([support.id]);
    expect(await ids('sales@acme.test', 'support@acme.test')).toEqual([support.id, sales.id]);
    expect(await ids()).toEqual([]);
  });
});

describe('the types that a key is shown', () => {
  const all = Object.values(eventGroups).flat();
  const scopeOf = (type: EventType): Scope | null => {
    if (type.startsWith('conversation.') || type === 'message.sent') return 'read:conversations';
    if (type.startsWith('contact.')) return 'read:contacts';
    if (type.startsWith('calendar_event.')) return 'read:calendar';
    return type.startsWith('task.') ? 'read:tasks' : null;
  };

  it('are those that its scopes and member cover, and none of the helpdesk', () => {
    const keys = fc.record({
      scopes: fc.subarray<Scope>([
        'read:conversations',
        'read:contacts',
        'read:calendar',
        'read:tasks',
        'mail:send',
      ]),
      isMember: fc.boolean(),
    });
    fc.assert(
      fc.property(keys, ({ scopes, isMember }) => {
        const shown = coveredTypes(aKey({ scopes, member: isMember ? member : null }));
        const expected = all.filter((type) => {
          const scope = scopeOf(type);
          if (scope === null) return type === 'integration.test';
          return scopes.includes(scope) && (scope === 'read:conversations' || isMember);
        });
        expect(shown).toEqual(expected);
      }),
    );
  });
});

it('an event wakes the waiting readers of its own workspace, and a lost wake-up those of all', async () => {
  const waits = new FeedWaits();
  const looks: string[] = [];
  let isOver = false;
  const look = (tenantId: string) => () => Promise.resolve(looks.push(tenantId));
  const readers = ['a', 'b'].map((tenantId) =>
    waits.until(tenantId, Infinity, look(tenantId), () => isOver),
  );
  // No timer can fire in these turns.
  const settled = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    return looks.splice(0).sort().join('');
  };
  await settled();
  waits.wake('b');
  expect(await settled()).toBe('b');
  waits.wake();
  expect(await settled()).toBe('ab');
  isOver = true;
  waits.wake();
  await Promise.all(readers);
});
