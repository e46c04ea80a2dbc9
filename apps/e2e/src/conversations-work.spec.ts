import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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

    it.each([
      ['assignee', 'no address'],
      ['assignee', ''],
      ['assignee', 5],
      ['assignee', ['a@acme.test']],
      ['status', 'done'],
      ['status', 'OPEN'],
      ['status', null],
      ['status', ''],
      ['teamId', 5],
      ['priority', 'high'],
    ])('refuses %s %j and names the field', async (field, value) => {
      const answer = await write('/assign', { [field]: value });
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toEqual([{ field, message: expect.any(String) }]);
      expect(await detail()).toMatchObject({ version: conversation.version });
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

    it('takes 50 at once of 128 characters each, counted as code points', async () => {
      const add = Array.from({ length: 50 }, (_, i) => `${10 + i}${'🐎'.repeat(126)}`);
      const result = resultOf(await write('/labels', { add }));
      expect(result).toMatchObject({ added: add });
      expect(resultOf(await write('/labels', { remove: add }))).toMatchObject({ labels: [] });
    });

    it('lets a conversation have 500 and refuses more with a text', async () => {
      for (let from = 0; from < 500; from += 50) {
        const add = Array.from({ length: 50 }, (_, i) => `Label ${from + i}`);
        expect((await write('/labels', { add })).status).toBe(200);
      }
      const answer = await write('/labels', { add: ['One more'] });
      expect([answer.status, errorOf(answer).error]).toEqual([400, expect.stringContaining('500')]);
      expect(errorOf(answer).details).toEqual([{ field: 'add', message: expect.any(String) }]);
    });

    it('takes off what is named both ways', async () => {
      const answer = await write('/labels', { add: ['VIP', 'New'], remove: [' ｖｉｐ '] });
      expect(resultOf(answer)).toEqual({ labels: ['New'], added: ['New'], removed: [] });
    });

    const fifty = Array.from({ length: 50 }, (_, i) => `L${i}`);

    it.each<[string, object]>([
      ['add', {}],
      ['add', { add: [] }],
      ['add', { add: [], remove: [] }],
      ['add', { add: [...fifty, 'one more'] }],
      ['remove', { remove: [...fifty, 'one more'] }],
      ['add', { add: ['x'.repeat(129)] }],
      ['remove', { remove: ['x'.repeat(129)] }],
      ['add', { add: ['good', ''] }],
      ['add', { add: ['  '] }],
      ['add', { add: ['\u200b'] }],
      ['add', { add: ['a\u0000b'] }],
      ['add', { add: ['a\nb'] }],
      ['add', { add: ['a\u0085b'] }],
      ['add', { add: ['\ud800'] }],
      ['add', { add: 'VIP' }],
      ['add', { add: [5] }],
      ['add', { add: [null] }],
      ['add', { add: null }],
      ['labels', { add: ['VIP'], labels: [] }],
    ])('refuses a wrong %s in %j', async (field, body) => {
      const answer = await write('/labels', body);
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toEqual([{ field, message: expect.any(String) }]);
      expect(await detail()).toMatchObject({ labels: [], version: conversation.version });
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

    it('repeated changes nothing, with another time moves the same reminder', async () => {
      const until = inMs(day);
      const first = resultOf(await snooze(until));
      const again = { ...first, created: false, changed: false };
      expect(resultOf(await snooze(until))).toEqual(again);
      // The same moment in another zone.
      const elsewhere = `${new Date(Date.parse(until) + 7_200_000).toISOString().slice(0, -1)}+02:00`;
      expect(resultOf(await snooze(elsewhere))).toEqual(again);
      const later = inMs(2 * day);
      const moved = { ...first, until: later, created: false, changed: true };
      expect(resultOf(await snooze(later))).toMatchObject({
        ...moved,
        version: expect.any(Number),
      });
    });

    it('ends by itself and may begin anew', async () => {
      await snooze(inMs(1_500));
      expect(await listed()).toBe(false);
      await sleep(1_600);
      expect(await listed()).toBe(true);
      expect(await detail()).toMatchObject({ snoozedUntil: null });
      expect(resultOf(await snooze(inMs(day)))).toMatchObject({ created: true, changed: true });
    });

    it('is answered again as it was, once its time has come', async () => {
      const ask = (until: string, key: string): Promise<Answer> =>
        api.post(at('/snooze'), { mailbox, until }, key);
      const [until, key] = [inMs(700), newKey()];
      const first = await ask(until, key);
      expect(first.status).toBe(200);
      await sleep(800);
      const again = await ask(until, key);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers['x-svc-idempotency']).toBe('hit');
      expect((await ask(until, newKey())).status).toBe(400);
      expect((await ask(inMs(day), key)).status).toBe(409);
    });

    it('is changed under the version that was read, and under no other', async () => {
      const { version } = resultOf(await snooze(inMs(day))) as { version: number };
      expect((await snooze(inMs(2 * day), version)).status).toBe(200);
      const stale = await snooze(inMs(3 * day), version);
      expect([stale.status, errorOf(stale).error]).toEqual([409, expect.stringMatching(/[éà]/)]);
      const tabs = [4, 5, 6].map((days) => snooze(inMs(days * day), version + 1));
      const statuses = (await Promise.all(tabs)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 409, 409]);
      const refused = await api.request('POST', at('/snooze'), '{}', { 'If-Match': 'x' });
      expect(refused.status).toBe(400);
    });

    it.each<[string, () => unknown]>([
      ['no time', () => undefined],
      ['null', () => null],
      ['a number', () => Date.now() + day],
      ['no zone', () => inMs(day).slice(0, -1)],
      ['a date alone', () => inMs(day).slice(0, 10)],
      ['a zone by name', () => `${inMs(day).slice(0, -1)} Europe/Paris`],
      ['a zone without a colon', () => `${inMs(day).slice(0, -1)}+0200`],
      ['no such day', () => '2031-02-30T10:00:00Z'],
      ['a time that has come', () => inMs(-1)],
      ['366 days', () => inMs(366 * day)],
      ['365 days and a minute', () => inMs(365 * day + 60_000)],
    ])('refuses %s', async (_what, until) => {
      const answer = await snooze(until());
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toEqual([{ field: 'until', message: expect.any(String) }]);
      expect(await listed()).toBe(true);
    });

    it('takes a time just under 365 days ahead', async () => {
      expect((await snooze(inMs(365 * day - 60_000))).status).toBe(200);
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

    it('gives the first answer again for the same Idempotency-Key', async () => {
      const key = newKey();
      const first = await api.post(at(action), { mailbox, ...body() }, key);
      const after = await detail();
      const second = await api.post(at(action), { mailbox, ...body() }, key);
      expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
      expect(second.headers['x-svc-idempotency']).toBe('hit');
      const elsewhere = await place.receive(api, mailbox);
      const path = `/v1/conversations/${elsewhere.id}${action}`;
      const reused = await api.post(path, { mailbox, ...body() }, key);
      expect(reused.status).toBe(409);
      expect(reused.headers['x-svc-idempotency']).toBe('key-reused');
      expect(await detail()).toEqual(after);
    });

    it('needs write access, the scope and the mailbox', async () => {
      const reader = await place.key({ member, mailboxes: [{ address: mailbox, access: 'read' }] });
      expect((await write(action, body(), reader)).status).toBe(403);
      const scopes = ['read:conversations'];
      const narrow = await place.keyFor(mailbox, { member, scopes });
      expect((await write(action, body(), narrow)).status).toBe(403);
      const stranger = await place.keyFor(await place.mailbox(), { member });
      expect((await write(action, body(), stranger)).status).toBe(403);
      const answer = await api.post(at(action), body());
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toContainEqual(expect.objectContaining({ field: 'mailbox' }));
      expect(await detail()).toMatchObject({ version: conversation.version, snoozedUntil: null });
    });

    it('refuses an unknown field and names it', async () => {
      const answer = await write(action, { ...body(), force: true });
      expect(answer.status).toBe(400);
      expect(errorOf(answer).details).toEqual([{ field: 'force', message: expect.any(String) }]);
    });

    it('of an agent that needs approval writes nothing', async () => {
      const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required', member });
      expect((await write(action, body(), agent)).status).toBe(400);
      const answer = await agent.post(at(action), { mailbox, ...body() }, newKey());
      expect([202, 503]).toContain(answer.status);
      const wrong = await agent.post(
        at(action),
        { mailbox, ...body(), add: 5, status: 5 },
        newKey(),
      );
      expect(wrong.status).toBe(400);
      expect(await detail()).toMatchObject({ version: conversation.version, snoozedUntil: null });
    });

    it('is done at once by an agent that needs none', async () => {
      const agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'none', member });
      expect((await write(action, body(), agent)).status).toBe(200);
    });
  });
});
