import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, type Received } from '@postroom/testing';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { until } from '@postroom/testing/until';
import type { Answer } from './http.js';
import { commentOf, type ConversationItem, itemsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** An event as it is delivered. */
interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
}

interface FeedPage {
  readonly events: readonly DeliveredEvent[];
  readonly nextAfter: string | null;
}

const parsed = ({ body }: Received): DeliveredEvent =>
  JSON.parse(body.toString()) as DeliveredEvent;

describe('webhooks', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;
  let conversation: ConversationItem;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    conversation = await place.receive(api, mailbox);
  });
  afterAll(() => receiver.close());

  const subscribed = async (events: readonly string[]) => {
    const path = `/${randomUUID()}`;
    const answer = await place.settings.post('/webhooks', { url: receiver.url(path), events });
    expect(answer.status).toBe(201);
    const { webhook, secret } = recordOf(answer) as { webhook: { id: string }; secret: string };
    return { path, id: webhook.id, secret };
  };
  const comment = async (text: string) =>
    commentOf(
      await api.post(
        `/v1/conversations/${conversation.id}/comment`,
        { mailbox, text },
        randomUUID(),
      ),
    );
  const feed = async (values: Record<string, string | number> = {}): Promise<FeedPage> =>
    recordOf(await api.get('/v1/events', { limit: 500, ...values })) as unknown as FeedPage;

  it('tell of a comment, signed so that outside verifiers accept it, and in order', async () => {
    const { path, id, secret } = await subscribed(['comment.added']);
    for (let i = 0; i < 5; i++) await comment(`Nº ${i}`);
    await until(() => receiver.at(path).length === 5);
    const all = receiver.at(path);
    for (const { headers, body } of all) {
      const given = headers as Record<string, string>;
      expect(() => new StandardWebhook(secret).verify(body.toString(), given)).not.toThrow();
      const hex = createHmac('sha256', secret).update(body).digest('hex');
      expect(headers['x-svc-signature']).toBe(`sha256=${hex}`);
    }
    expect(all.map(parsed).map(({ type }) => type)).toEqual(Array(5).fill('comment.added'));
    const sequences = all.map(parsed).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    const history = itemsOf(
      await place.settings.get(`/webhooks/${id}/deliveries?status=succeeded`),
    );
    expect(history.length).toBeGreaterThan(0);
    await place.settings.delete(`/webhooks/${id}`);
  });

  it('are in the feed as they were delivered, for keys that may see them', async () => {
    const { path, id } = await subscribed(['conversation.commented']);
    const { nextAfter } = await feed();
    const waiting = feed({
      wait: 20,
      ...(nextAfter !== null && { after: nextAfter }),
      types: 'comment.added',
    });
    await comment('For the feed');
    await until(() => receiver.at(path).length === 1);
    const [delivered] = receiver.at(path).map(parsed);
    const { events } = await waiting;
    expect(events).toContainEqual(delivered);
    const stranger = await place.keyFor(await place.mailbox());
    const values = { limit: 500, ...(nextAfter !== null && { after: nextAfter }) };
    const page = recordOf(await stranger.get('/v1/events', values)) as unknown as FeedPage;
    expect(page.events.filter((event) => event.id === delivered?.id)).toEqual([]);
    await place.settings.delete(`/webhooks/${id}`);
  });

  it('are in the feed of whoever may read what they are of, or might when it was deleted', async () => {
    const scopes = ['read:calendar', 'write:calendar', 'read:contacts', 'write:contacts'];
    const { admin, member } = place.tenant;
    const [boss, max] = await Promise.all([
      place.key({ scopes, member: admin.email, admin: true }),
      place.key({ scopes, member: member.email }),
    ]);
    const { nextAfter } = await feed();
    const names = new Map<string, string>();
    const made = async (answering: Promise<Answer>, what: string, name?: string) => {
      const { id } = recordOf(await answering)[what] as { id: string };
      if (name !== undefined) names.set(id, name);
      return id;
    };
    const eventIn = (key: OwnKey, calendarId: string, name: string) => {
      const given = { calendarId, title: 'Visit', startMs: Date.now(), endMs: Date.now() + 1000 };
      return made(key.post('/v1/calendar-events', given), 'event', name);
    };
    const own = await made(max.post('/v1/calendars', { name: 'Own' }), 'calendar');
    const shared = { name: 'Shared', scope: 'shared' };
    const everybodys = await made(boss.post('/v1/calendars', shared), 'calendar');
    await eventIn(max, own, 'own');
    await eventIn(boss, everybodys, 'shared');
    const closed = { name: 'Closed', access: [] };
    const bookId = await made(place.settings.post('/address-books', closed), 'book');
    const contact = { bookId, contact: { displayName: 'Zoe' } };
    await made(boss.post('/v1/contacts', contact), 'contact', 'closed');
    await max.request('DELETE', `/v1/calendars/${own}`);
    await boss.request('DELETE', `/v1/calendars/${everybodys}`);
    await place.settings.delete(`/address-books/${bookId}?force=true`);
    const seenBy = async (key: OwnKey): Promise<string[]> => {
      const values = { limit: 500, ...(nextAfter !== null && { after: nextAfter }) };
      const { events } = recordOf(await key.get('/v1/events', values)) as unknown as FeedPage;
      const ours = events.filter(({ resource }) => names.has(resource.id));
      return ours.map(({ type, resource }) => `${type} ${names.get(resource.id)}`).sort();
    };
    await until(async () => (await seenBy(boss)).includes('contact.deleted closed'));
    const ofShared = ['calendar_event.created shared', 'calendar_event.deleted shared'];
    expect(await seenBy(boss)).toEqual([
      ...ofShared,
      ...['contact.created closed', 'contact.deleted closed'],
    ]);
    expect(await seenBy(max)).toEqual(
      [...ofShared, 'calendar_event.created own', 'calendar_event.deleted own'].sort(),
    );
  });

  it('are tested by the public route, but not by an agent whose writes wait', async () => {
    const { path, id } = await subscribed(['integration.test']);
    const asked = await api.request('HEAD', '/v1/webhooks/test');
    expect([asked.status, asked.headers['allow']]).toEqual([405, 'GET']);
    const answer = await api.get('/v1/webhooks/test');
    expect(answer.status).toBe(200);
    await until(() => receiver.at(path).length === 1);
    expect(recordOf(answer)['event']).toEqual(receiver.at(path).map(parsed)[0]);
    const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required' });
    const refused = await agent.get('/v1/webhooks/test');
    expect(refused.status).toBe(400);
    const filed = await agent.get('/v1/webhooks/test', {}, { 'Idempotency-Key': randomUUID() });
    expect(filed.status).toBe(202);
    expect(recordOf(filed)).toMatchObject({ approvalRequired: true });
    expect(receiver.at(path)).toHaveLength(1);
    const reader = await place.keyFor(mailbox, { scopes: ['read:conversations'] });
    expect((await reader.get('/v1/webhooks/test')).status).toBe(403);
    await place.settings.delete(`/webhooks/${id}`);
  });
});
