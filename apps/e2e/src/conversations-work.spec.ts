import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { deliver, newMessageId } from './mail.js';
import { strangerOf, withoutRequest } from './sameness.js';
import {
  type Conversation,
  conversationOf,
  type ConversationItem,
  errorOf,
  pageOf,
  recordOf,
  resultOf,
  teamOf,
} from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const day = 86_400_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const tomorrow = inMs(day);
const newKey = (): string => `e2e-${randomUUID()}`;

describe('work on a conversation', () => {
  let place: Workplace;
  let api: OwnKey;
  let mailbox: string;
  let other: string;
  let member: string;
  let teamId: string;
  let conversation: ConversationItem;
  let messageId: string;

  const at = (action = ''): string => `/v1/conversations/${conversation.id}${action}`;
  const detail = async (key = api): Promise<Conversation> =>
    conversationOf(await key.get(at(), { mailbox }));
  const write = (action: string, body: object, key = api): Promise<Answer> =>
    key.post(at(action), { mailbox, ...body });
  const listed = async (key = api): Promise<boolean> => {
    const page = pageOf(await key.get('/v1/conversations', { mailbox, limit: 100 }));
    return page.conversations.some(({ id }) => id === conversation.id);
  };

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    other = await place.mailbox();
    member = place.tenant.member.email;
    api = await place.key({
      member,
      mailboxes: [mailbox, other].map((address) => ({ address, access: 'write' as const })),
    });
    const name = `Team ${randomUUID()}`;
    teamId = teamOf(await place.settings.post('/teams', { name })).id;
  });

  beforeEach(async () => {
    messageId = newMessageId();
    conversation = await place.receive(api, mailbox, { messageId });
  });

  describe('conversations.assign', () => {
    it('sets assignee, status and team, in any letter case of the address', async () => {
      const given = { assignee: member.toUpperCase(), status: 'pending', teamId };
      const answer = await write('/assign', given);
      const now = { assignee: member, status: 'pending', teamId };
      const result = { ...now, changed: true };
      expect(recordOf(answer)).toEqual({ ok: true, id: conversation.id, result });
      expect(await detail()).toMatchObject(now);
      expect(resultOf(await write('/assign', given))).toEqual({ ...now, changed: false });
      expect(resultOf(await write('/assign', {}))).toEqual({ ...now, changed: false });
      const cleared = { assignee: null, status: 'pending', teamId: null, changed: true };
      expect(resultOf(await write('/assign', { assignee: null, teamId: null }))).toEqual(cleared);
    });

    it('knows members and teams of its own workspace only, and active ones', async () => {
      const globex = await Workplace.open('globex');
      const foreign = await globex.settings.post('/teams', { name: randomUUID() });
      const email = `left-${randomUUID()}@acme.test`;
      const left = recordOf(await place.settings.post('/members', { email, name: 'L' }))['member'];
      const { id } = left as { id: string };
      const key = newKey();
      const given = { mailbox, assignee: email };
      const first = await api.post(at('/assign'), given, key);
      expect(first.status).toBe(200);
      await place.settings.patch(`/members/${id}`, { active: false });
      const wrong: [string, unknown][] = [
        ['assignee', place.tenant.admin.email.replace('acme', 'globex')],
        ['assignee', `nobody-${randomUUID()}@acme.test`],
        ['teamId', teamOf(foreign).id],
        ['teamId', strangerOf(teamId)],
        ['teamId', 'no team'],
      ];
      for (const [field, value] of wrong) {
        const answer = await write('/assign', { [field]: value });
        expect(answer.status).toBe(400);
        expect(errorOf(answer).details).toEqual([{ field, message: expect.any(String) }]);
      }
      await place.settings.delete(`/members/${id}`);
      // A removed assignee stays named and cannot be assigned again, not even there.
      expect(await detail()).toMatchObject({ assignee: email });
      const refused = await write('/assign', { assignee: email, status: 'closed' });
      expect(refused.status).toBe(400);
      expect(await detail()).toMatchObject({ assignee: email, status: 'open' });
      expect((await write('/assign', { assignee: member })).status).toBe(200);
      const message = expect.any(String);
      expect(errorOf(refused).details).toEqual([{ field: 'assignee', message }]);
      const again = await api.post(at('/assign'), given, key);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers['x-svc-idempotency']).toBe('hit');
    });
  });

  describe('conversations.label', () => {
    it('adds and removes labels, whatever their spelling', async () => {
      const word = randomUUID();
      const first = await write('/labels', { add: [`Été ${word}`, 'VIP'] });
      const labels = [`Été ${word}`, 'VIP'];
      expect(recordOf(first)).toEqual({
        ok: true,
        id: conversation.id,
        result: { labels, added: labels, removed: [] },
      });
      const same = [`  ÉTÉ\u3000${word.toUpperCase()} `, `E\u0301te\u0301 ${word}`, 'ｖｉｐ'];
      const before = await detail();
      const nothing = { labels, added: [], removed: [] };
      expect(resultOf(await write('/labels', { add: same, remove: ['absent'] }))).toEqual(nothing);
      expect(await detail()).toEqual(before);
      const second = { labels: [labels[0]], added: [], removed: ['VIP'] };
      expect(resultOf(await write('/labels', { remove: ['vip'] }))).toEqual(second);
      const elsewhere = await place.receive(api, mailbox);
      const there = `/v1/conversations/${elsewhere.id}/labels`;
      const answer = await api.post(there, { mailbox, add: [same[0]] });
      expect(resultOf(answer)).toEqual({ labels: [labels[0]], added: [labels[0]], removed: [] });
    });
  });

  describe('conversations.snooze', () => {
    const snooze = (until: unknown, ifMatch?: number, key = api): Promise<Answer> =>
      key.request('POST', at('/snooze'), JSON.stringify({ mailbox, until }), {
        ...(ifMatch !== undefined && { 'If-Match': String(ifMatch) }),
      });

    it('hides it for the member of the key until the time, and for nobody else', async () => {
      const colleague = await place.keyFor(mailbox, { member: place.tenant.admin.email });
      const nobody = await place.keyFor(mailbox);
      const until = inMs(day);
      expect(recordOf(await snooze(until))).toEqual({
        ok: true,
        id: conversation.id,
        result: {
          action: 'snooze',
          until,
          reminderId: expect.any(String),
          created: true,
          changed: true,
          version: expect.any(Number),
        },
      });
      expect(await Promise.all([api, colleague, nobody].map(listed))).toEqual([false, true, true]);
      expect(await detail()).toMatchObject({ snoozedUntil: until, version: conversation.version });
      expect(await detail(colleague)).toMatchObject({ snoozedUntil: null });
      const sameMember = await place.keyFor(mailbox, { member });
      expect(await listed(sameMember)).toBe(false);
      await deliver(place.product, { to: mailbox, inReplyTo: messageId });
      expect(await listed()).toBe(false);
      const all = pageOf(
        await api.get('/v1/conversations', {
          ...{ mailbox, placement: 'all' },
          updatedSince: conversation.createdAt,
        }),
      );
      expect(all.conversations).toContainEqual(
        expect.objectContaining({ id: conversation.id, snoozedUntil: until }),
      );
    });

    it('needs a member, before anything else of the request is looked at', async () => {
      const nobody = await place.keyFor(mailbox);
      const answer = await nobody.request('POST', at('/snooze'), '{');
      expect([answer.status, errorOf(answer).error]).toEqual([
        403,
        expect.stringMatching(/membre/),
      ]);
    });
  });

  describe.each<[string, () => object]>([
    ['/assign', () => ({ status: 'closed' })],
    ['/labels', () => ({ add: ['VIP'] })],
    ['/snooze', () => ({ until: tomorrow })],
  ])('POST %s', (action, body) => {
    it('answers not found alike for an unknown conversation, a malformed id and another mailbox', async () => {
      const answers = await Promise.all([
        api.post(`/v1/conversations/${strangerOf(conversation.id)}${action}`, {
          mailbox,
          ...body(),
        }),
        api.post(`/v1/conversations/x${action}`, { mailbox, ...body() }),
        api.post(at(action), { mailbox: other, ...body() }),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBe(404);
        expect(withoutRequest(answer)).toEqual(withoutRequest(answers[0]));
      }
    });

    it('is unknown to another workspace, as an id that nothing has', async () => {
      const globex = await Workplace.open('globex');
      const own = await globex.mailbox();
      const key = await globex.keyFor(own, { member: globex.tenant.member.email });
      const ask = (id: string, where: string): Promise<Answer> =>
        key.post(`/v1/conversations/${id}${action}`, { mailbox: where, ...body() }, newKey());
      const unknown = strangerOf(conversation.id);
      const [foreign, random] = [await ask(conversation.id, own), await ask(unknown, own)];
      expect(foreign.status).toBe(404);
      expect(withoutRequest(foreign)).toEqual(withoutRequest(random));
      const [granted, made] = [
        await ask(conversation.id, mailbox),
        await ask(unknown, `nobody-${randomUUID()}@acme.test`),
      ];
      expect(granted.status).toBe(403);
      expect(withoutRequest(granted)).toEqual(withoutRequest(made));
      expect(await detail()).toMatchObject({ version: conversation.version });
    });

    it('is done at once by an agent that needs none', async () => {
      const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'none', member });
      expect((await write(action, body(), agent)).status).toBe(200);
    });
  });
});
