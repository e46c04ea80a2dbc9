// tags: kafka
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isMounted, table } from '@postroom/contracts';
import { Receiver } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import type { Answer } from './http.js';
import { aMessage, receiptOf, sendMessage } from './sending.js';
import { McpClient } from './mcp-client.js';
import { SettingsApi } from './settings-api.js';
import {
  type Draft,
  type ConversationItem,
  conversationOf,
  draftOf,
  draftsOf,
  itemsOf,
  mailboxOf,
  recordOf,
  searchOf,
  volumesOf,
} from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** The parts of operation ids before the dot. */
const families = new Set(table.filter(isMounted).map(({ id }) => id.split('.')[0] ?? ''));

/**
 * One write and one read of each family. Over Kafka this is what `npm test` asks of the families; the
 * rules of each are told in its own file, in process, and over Kafka by `npm run test:full`.
 */
describe('every family', () => {
  let place: Workplace;
  let settings: SettingsApi;
  let mailbox: string;
  let api: OwnKey;
  let agent: OwnKey;
  /** Attached to the member. */
  let planner: OwnKey;
  let conversation: ConversationItem;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    settings = place.settings;
    mailbox = await place.mailbox();
    const scopes = ['conversations', 'analytics'].map((name) => `read:${name}`);
    api = await place.keyFor(mailbox, {
      scopes: [...scopes, 'write:conversations', 'drafts:write', 'mail:send'],
    });
    planner = await place.key({
      scopes: ['calendar', 'tasks'].flatMap((what) => [`read:${what}`, `write:${what}`]),
      member: place.tenant.member.email,
    });
    agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required' });
    const attachments = [{ filename: 'note.txt', content: 'A note.' }];
    conversation = await place.receive(api, mailbox, { attachments });
  });

  const ok = (answer: Answer): Readonly<Record<string, unknown>> => {
    expect([200, 201]).toContain(answer.status);
    return recordOf(answer);
  };
  const whole = async () =>
    conversationOf(await api.get(`/v1/conversations/${conversation.id}`, { mailbox }));
  const name = `Family ${randomUUID()}`;
  /** Makes one by the settings API, finds it in the list, and removes it. */
  const keptAndRemoved = async (path: string, one: object, answeredAs: string): Promise<void> => {
    const { [answeredAs]: made } = ok(await settings.post(path, one));
    const { id } = made as { id: string };
    expect(itemsOf(await settings.get(path))).toContainEqual(expect.objectContaining({ id }));
    ok(await settings.delete(`${path}/${id}`));
  };

  /** A comment of an agent's that waits for a person. */
  const filed = async (): Promise<{ readonly id: string }> => {
    const path = `/v1/conversations/${conversation.id}/comment`;
    const answer = await agent.post(path, { mailbox, text: `Filed ${name}` }, randomUUID());
    expect(answer.status).toBe(202);
    return recordOf(answer)['approval'] as { id: string };
  };

  const anAddressBook = async (): Promise<string> => {
    const { book } = ok(await settings.post('/address-books', { name }));
    return (book as { id: string }).id;
  };

  /** The signed-in member's own. */
  const aCalendar = async (): Promise<string> => {
    const { calendar } = ok(await settings.post('/v1/calendars', { name }));
    return (calendar as { id: string }).id;
  };

  const happyPaths: Readonly<Record<string, () => Promise<void>>> = {
    conversations: async () => {
      const path = `/v1/conversations/${conversation.id}`;
      ok(await api.post(`${path}/comment`, { mailbox, text: name }, randomUUID()));
      ok(await api.post(`${path}/archive`, { mailbox }));
      const { placement, comments } = await whole();
      expect([placement, comments.map(({ text }) => text)]).toEqual(['archived', [name]]);
    },
    bulk: async () => {
      const ids = [conversation.id];
      const given = { mailbox, ids, action: 'labels', add: [name] };
      const { results } = ok(await settings.post('/v1/conversations/bulk', given));
      expect(results).toMatchObject([{ id: conversation.id, ok: true }]);
      expect((await whole()).labels).toContain(name);
    },
    labels: async () => {
      const boxes = itemsOf(await settings.get('/mailboxes'));
      const id = String(boxes.find(({ address }) => address === mailbox)?.['id']);
      const path = `/v1/conversations/${conversation.id}/labels`;
      ok(await api.post(path, { mailbox, add: [`${name} a`] }));
      const label = encodeURIComponent(`${name} a`);
      const renamed = await settings.patch(`/mailboxes/${id}/labels/${label}`, {
        name: `${name} b`,
      });
      expect(ok(renamed)).toEqual({ ok: true, conversations: 1 });
      expect((await whole()).labels).toContain(`${name} b`);
      ok(await settings.delete(`/mailboxes/${id}/labels/${encodeURIComponent(`${name} b`)}`));
      expect((await whole()).labels).not.toContain(`${name} b`);
    },
    search: () =>
      until(async () => {
        const q = `"${conversation.subject}"`;
        return searchOf(await api.get('/v1/search', { mailbox, q })).results.length === 1;
      }),
    attachments: async () => {
      const [file] = (await whole()).messages[0]?.attachments ?? [];
      const answer = await api.get(`/v1/attachments/${file?.id ?? ''}`, { mailbox });
      expect([answer.status, answer.text]).toEqual([200, 'A note.']);
    },
    messages: async () => {
      const { id, subject: value } = (await whole()).messages[0] ?? {};
      const answer = await api.get(`/v1/messages/${id ?? ''}/raw`, { mailbox });
      expect(answer.text).toContain(`Subject: ${String(value)}\r\n`);
      const { headers } = ok(await api.get(`/v1/messages/${id ?? ''}/headers`, { mailbox }));
      expect(headers).toContainEqual({ name: 'Subject', value });
    },
    remoteImages: async () => {
      const server = await Receiver.start();
      const image = 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
      server.answer = (_received, response) => void response.end(Buffer.from(image, 'base64'));
      try {
        const html = `<img src="${server.url()}">`;
        const { id } = await place.receive(api, mailbox, { html });
        const answer = await api.get(`/v1/conversations/${id}`, { mailbox });
        const message = conversationOf(answer).messages[0]?.id ?? '';
        const path = `/v1/messages/${message}/remote-image?mailbox=${mailbox}&n=0`;
        const shown = await settings.get(path);
        expect([shown.status, shown.headers['content-type']]).toEqual([200, 'image/gif']);
      } finally {
        await server.close();
      }
    },
    drafts: async () => {
      const draft: Draft = draftOf(await api.post('/v1/drafts', { mailbox, draft: {} }));
      expect(draftsOf(await api.get('/v1/drafts', { mailbox })).drafts).toEqual([draft]);
    },
    draftSends: async () => {
      const draft = { to: 'camille@correspondent.example', subject: name, body: name };
      const { id } = draftOf(await settings.post('/v1/drafts', { mailbox, draft }));
      const sendAt = new Date(Date.now() + 4_000).toISOString();
      ok(await settings.post(`/v1/drafts/${id}/send`, { mailbox, sendAt }));
      await until(async () => {
        const { drafts } = draftsOf(await api.get('/v1/drafts', { mailbox }));
        return drafts.every((one) => one.id !== id);
      });
      expect(ok(await settings.post(`/v1/drafts/${id}/send`, { mailbox }))).toMatchObject({
        receiptSource: 'smtp',
      });
    },
    uploads: async () => {
      const path = `/v1/attachments?mailbox=${mailbox}&filename=a.txt`;
      const headers = { 'Content-Type': 'text/plain' };
      const { upload } = ok(await settings.request('POST', path, name, headers));
      const { id: uploadId } = upload as { id: string };
      const draft = { attachments: [{ uploadId }] };
      const { id, attachments } = draftOf(await settings.post('/v1/drafts', { mailbox, draft }));
      expect(attachments).toMatchObject([{ id: uploadId, size: name.length }]);
      const kept = `/v1/attachments/${uploadId}?mailbox=${mailbox}`;
      expect((await settings.get(kept)).text).toBe(name);
      ok(await settings.delete(`/v1/drafts/${id}?mailbox=${mailbox}`));
    },
    presence: async () => {
      const given = { conversationId: conversation.id, mailbox, state: 'viewing' };
      ok(await settings.post('/presence', given));
      ok(await settings.get(`/v1/conversations/${conversation.id}?mailbox=${mailbox}`));
    },
    contacts: async () => {
      const key = await place.keyFor(mailbox, {
        ...{ scopes: ['read:contacts', 'write:contacts'], member: place.tenant.member.email },
      });
      const bookId = await anAddressBook();
      const { contact } = ok(await key.post('/v1/contacts', { bookId, displayName: name }));
      const { contacts } = ok(await key.get('/v1/contacts', { bookId }));
      expect(contacts).toEqual([contact]);
    },
    addressBooks: () => keptAndRemoved('/address-books', { name }, 'book'),
    contactTransfer: async () => {
      const path = `/address-books/${await anAddressBook()}`;
      const card = `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${name}\r\nEND:VCARD\r\n`;
      const headers = { 'Content-Type': 'text/vcard' };
      const imported = await settings.request('POST', `${path}/import`, card, headers);
      expect(ok(imported)).toMatchObject({ created: 1, updated: 0, unreadable: [] });
      expect((await settings.get(`${path}/export`, { format: 'csv' })).text).toContain(name);
    },
    contactMerging: async () => {
      const bookId = await anAddressBook();
      const ids: string[] = [];
      for (const value of ['one@x.test', 'other@x.test']) {
        const emails = [{ value }];
        const { contact } = ok(await settings.post('/v1/contacts', { bookId, emails }));
        ids.push((contact as { id: string }).id);
      }
      const [survivorId, mergedId = ''] = ids;
      ok(await settings.post('/contacts/merge', { survivorId, mergedIds: [mergedId] }));
      expect((await settings.get(`/v1/contacts/${mergedId}`)).status).toBe(404);
      ok(await settings.post(`/contacts/${mergedId}/unmerge`, {}));
      ok(await settings.get(`/v1/contacts/${mergedId}`));
    },
    sends: async () => {
      const { threadId } = receiptOf(await sendMessage(api, aMessage(mailbox)));
      ok(await api.get(`/v1/conversations/${threadId}`, { mailbox }));
    },
    suppressions: async () => {
      expect(ok(await api.get('/v1/suppressions'))['suppressions']).toEqual(expect.any(Array));
    },
    suppressionSettings: async () => {
      const address = `${randomUUID()}@x.test`;
      ok(await settings.post('/suppressions', { address }));
      ok(await settings.delete(`/suppressions/${address}`));
      expect((await settings.delete(`/suppressions/${address}`)).status).toBe(404);
    },
    session: async () => {
      const member = await SettingsApi.signIn(place.product, place.tenant.member);
      ok(await member.delete('/session'));
      expect((await member.get('/session')).status).toBe(401);
    },
    totp: async () => {
      expect(ok(await settings.post('/me/totp', {}))['secret']).toMatch(/^[A-Z2-7]{32}$/);
    },
    secondFactor: async () => {
      expect(ok(await settings.get('/me/second-factor'))).toMatchObject({ totp: false });
    },
    signInSettings: async () => {
      const given = { requireSecondFactor: false };
      expect(ok(await settings.put('/sign-in', given))).toMatchObject(given);
      expect(ok(await settings.get('/sign-in'))).toMatchObject(given);
    },
    account: async () => {
      const { admin } = place.tenant;
      const { member, mailboxes } = ok(await settings.get('/me'));
      expect(member).toMatchObject({ email: admin.email });
      expect(mailboxes).toContainEqual(expect.objectContaining({ address: mailbox }));
    },
    passwordReset: async () => {
      const answer = await settings.post('/password-reset', { email: `${randomUUID()}@acme.test` });
      expect(answer.status).toBe(202);
    },
    memberInvitations: async () => {
      const { member } = ok(
        await settings.post('/members', { email: `${randomUUID()}@acme.test`, name }),
      );
      const pending = itemsOf(await settings.get('/invitations')) as {
        id: string;
        member: object;
      }[];
      const { id } = pending.find((one) => isDeepStrictEqual(one.member, member)) ?? { id: '' };
      ok(await settings.delete(`/invitations/${id}`));
    },
    passkeys: async () => {
      const { options } = ok(await settings.post('/me/passkeys/options', {}));
      expect(options).toHaveProperty('challenge');
      expect(ok(await settings.get('/me/passkeys'))['items']).toEqual([]);
    },
    members: () =>
      keptAndRemoved('/members', { email: `${randomUUID()}@acme.test`, name }, 'member'),
    mailLists: async () => {
      expect(ok(await api.get('/v1/mailboxes'))['mailboxes']).toMatchObject([{ address: mailbox }]);
      expect(ok(await api.get('/v1/labels', { mailbox }))['labels']).toEqual(expect.any(Array));
    },
    people: async () => {
      expect(ok(await api.get('/v1/members'))['members']).toContainEqual(
        expect.objectContaining({ email: place.tenant.member.email }),
      );
      expect(ok(await api.get('/v1/teams'))['teams']).not.toEqual([]);
    },
    bookLists: async () => {
      const scopes = ['read:contacts'];
      const key = await place.keyFor(mailbox, { scopes, member: place.tenant.member.email });
      expect(ok(await key.get('/v1/address-books'))['addressBooks']).not.toEqual([]);
    },
    me: async () => {
      expect(ok(await api.get('/v1/me'))).toMatchObject({ id: api.id, kind: 'human' });
      expect(ok(await api.get('/v1/me/refusals'))).toEqual({ refusals: [], nextPageToken: null });
    },
    agents: async () => {
      expect(itemsOf(await settings.get('/agents')).length).toBeGreaterThan(0);
    },
    unknownSends: async () => {
      expect(itemsOf(await settings.get('/sends?state=unknown'))).toEqual([]);
    },
    // In a sandbox they are in sandbox.spec.ts.
    sandbox: async () => {
      expect((await settings.get('/sandbox')).status).toBe(404);
    },
    sandboxMail: async () => {
      expect((await settings.post('/sandbox/receive', {})).status).toBe(404);
      expect((await settings.get('/sandbox/outbox')).status).toBe(404);
    },
    sandboxes: async () => {
      const made = { name, adminEmail: `${randomUUID()}@correspondent.example` };
      const { sandbox } = recordOf(await settings.post('/sandboxes', made));
      expect(itemsOf(await settings.get('/sandboxes'))).toContainEqual(sandbox);
    },
    persons: async () => {
      const email = `${randomUUID()}@correspondent.example`;
      await place.receive(api, mailbox, { from: email, subject: name });
      const counts = { messages: 1, mentions: 0, drafts: 0, contacts: 0, events: 0 };
      const erase = (dryRun: boolean) => settings.post('/erasures', { email, dryRun });
      expect(ok(await erase(true))).toEqual({ erasure: { dryRun: true, ...counts } });
      const { text } = await settings.get(`/persons/export?email=${email}`);
      expect(text.match(/^\{"type":"(?:message|eml)"/gm)).toHaveLength(2);
      expect(ok(await erase(false))).toEqual({ erasure: { dryRun: false, ...counts } });
      expect((await settings.get(`/persons/export?email=${email}`)).text).toBe('');
      const own = await settings.post('/erasures', { email: place.tenant.member.email });
      expect([own.status, recordOf(own)['error']]).toEqual([409, 'OWN_ADDRESS']);
    },
    teams: () => keptAndRemoved('/teams', { name, memberIds: [] }, 'team'),
    mailboxes: async () => {
      const address = `box-${randomUUID()}@acme.test`;
      await keptAndRemoved('/mailboxes', { address, name }, 'mailbox');
    },
    mailboxAccounts: async () => {
      const address = `box-${randomUUID()}@acme.test`;
      const { id } = mailboxOf(await settings.post('/mailboxes', { address, name }));
      const imap = { host: '127.0.0.1', port: 1143, secure: true, user: address, password: name };
      const set = ok(await settings.put(`/mailboxes/${id}/account`, { imap }));
      expect(set).toMatchObject({ mailbox: { account: { kind: 'password', provider: null } } });
      const removed = ok(await settings.delete(`/mailboxes/${id}/account`));
      expect(removed).toMatchObject({ mailbox: { imap: null, account: null } });
    },
    accountTests: async () => {
      const address = `box-${randomUUID()}@acme.test`;
      const { id } = mailboxOf(await settings.post('/mailboxes', { address, name }));
      const imap = { host: '127.0.0.1', port: 9, user: address, password: name };
      const { ok: isWell, steps } = ok(await settings.post(`/mailboxes/${id}/test`, { imap }));
      expect([isWell, (steps as unknown[])[0]]).toMatchObject([
        false,
        { server: 'imap', step: 'connect', outcome: 'failed', code: 'unreachable' },
      ]);
    },
    mailSettings: async () => {
      const found = ok(await settings.get('/mail-settings?address=ada@gmail.com'));
      expect(found).toMatchObject({ source: 'provider', provider: 'Google' });
    },
    sessions: async () => {
      const other = await SettingsApi.signIn(place.product, place.tenant.admin);
      const isCurrent = ({ current }: Readonly<Record<string, unknown>>) => current === true;
      const { id } = itemsOf(await other.get('/sessions')).find(isCurrent) as { id: string };
      ok(await settings.delete(`/sessions/${id}`));
      expect((await other.get('/session')).status).toBe(401);
    },
    domains: async () => {
      const domain = `${randomUUID()}.example`;
      await keptAndRemoved('/domains', { name: domain }, 'domain');
    },
    imports: async () => {
      const address = `box-${randomUUID()}@acme.test`;
      const { id } = mailboxOf(await settings.post('/mailboxes', { address, name }));
      const headers = { 'Content-Type': 'message/rfc822' };
      const mail = `Subject: ${name}\r\nMessage-ID: <${randomUUID()}@x.test>\r\n\r\nHello\r\n`;
      ok(await settings.request('POST', `/mailboxes/${id}/import`, mail, headers));
      expect(itemsOf(await settings.get(`/mailboxes/${id}/imports`))).toHaveLength(1);
    },
    mailboxSyncs: async () => {
      const address = `box-${randomUUID()}@acme.test`;
      const imap = { host: '127.0.0.1', port: 9, user: 'nobody', password: 'secret' };
      const { id } = mailboxOf(await settings.post('/mailboxes', { address, name, imap }));
      expect(ok(await settings.get(`/mailboxes/${id}/sync`))).toMatchObject({
        sync: { folders: [] },
      });
      ok(await settings.post(`/mailboxes/${id}/sync/restart`, {}));
      const folder = { path: 'Sent', role: 'sent' };
      expect((await settings.patch(`/mailboxes/${id}/folders`, folder)).status).toBe(404);
      // Its server would be tried again and again beside other specs.
      ok(await settings.delete(`/mailboxes/${id}/account`));
    },
    keys: async () => {
      const key = await place.keyFor(mailbox);
      ok(await key.get('/v1/conversations', { mailbox }));
      ok(await settings.delete(`/keys/${key.id}`));
      expect((await key.get('/v1/conversations', { mailbox })).status).toBe(401);
    },
    connections: async () => {
      expect(ok(await settings.get('/connections'))['items']).toEqual([]);
    },
    keyRefusals: async () => {
      const key = await place.key({ scopes: [] });
      expect((await key.get('/v1/conversations', { mailbox })).status).toBe(403);
      expect(ok(await settings.get(`/keys/${key.id}/refusals`))['refusals']).toEqual([]);
    },
    sendSwitch: async () => {
      ok(await settings.put('/send-switch', { open: true }));
      expect(ok(await settings.get('/send-switch'))).toMatchObject({ open: true });
    },
    signatures: async () => {
      expect(ok(await api.get('/v1/signatures'))['signatures']).toEqual(expect.any(Array));
    },
    signatureSettings: () => keptAndRemoved('/signatures', { name, html: 'Us' }, 'signature'),
    dlpRules: () => {
      const rule = { name, detector: 'iban', action: 'warn', enabled: false };
      return keptAndRemoved('/dlp-rules', rule, 'rule');
    },
    analytics: async () => {
      const { messages } = volumesOf(await api.get('/v1/analytics/summary'));
      expect(messages.received).toBeGreaterThan(0);
    },
    approvals: async () => {
      const { id } = await filed();
      ok(await settings.post(`/approvals/${id}/approve`, {}));
      await until(async () => {
        const { approval } = ok(await settings.get(`/approvals/${id}`));
        return (approval as { state: string }).state === 'executed';
      });
      expect((await whole()).comments.map(({ text }) => text)).toContain(`Filed ${name}`);
    },
    filedApprovals: async () => {
      const { id } = await filed();
      expect(ok(await agent.get(`/v1/approvals/${id}`))).toMatchObject({ approval: { id } });
    },
    webhooks: () => keptAndRemoved('/webhooks', { url: `https://hooks.example.com/` }, 'webhook'),
    deliveries: async () => {
      const url = 'https://hooks.example.com/';
      const { webhook } = ok(await settings.post('/webhooks', { url }));
      const { id } = webhook as { id: string };
      ok(await settings.post(`/webhooks/${id}/test`, {}));
      await until(
        async () => itemsOf(await settings.get(`/webhooks/${id}/deliveries`)).length === 1,
      );
      ok(await settings.delete(`/webhooks/${id}`));
    },
    events: async () => {
      const path = `/v1/conversations/${conversation.id}/comment`;
      ok(await api.post(path, { mailbox, text: name }, randomUUID()));
      await until(async () => {
        const { events } = ok(await api.get('/v1/events', { types: 'comment.added', limit: 500 }));
        return (events as unknown[]).length > 0;
      });
    },
    webhookTests: async () => {
      expect(ok(await api.get('/v1/webhooks/test'))).toMatchObject({
        ok: true,
        event: { type: 'integration.test' },
      });
    },
    mcp: async () => {
      const agentClient = new McpClient(place.product, api.key);
      const args = { query: 'x', mailbox };
      expect(await agentClient.call('svc_search', args)).toMatchObject({ isError: false });
    },
    senderContacts: async () => {
      const { book } = ok(await settings.post('/address-books', { name }));
      const { id: bookId } = book as { id: string };
      const { id } = conversation;
      const { messages } = conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));
      const given = { bookId, messageId: messages[0]?.id };
      const made = ok(await settings.post('/contacts/from-message', given));
      expect(ok(await settings.post('/contacts/from-message', given))).toEqual({
        ...{ ...made, existed: true },
      });
    },
    readModels: async () => {
      for (const model of ['contacts', 'links'])
        expect(ok(await settings.post('/read-models/rebuild', { of: model }))).toEqual({
          ok: true,
        });
    },
    calendars: async () => {
      const { calendar } = ok(await planner.post('/v1/calendars', { name }));
      const { id } = calendar as { id: string };
      expect(ok(await planner.get('/v1/calendars'))['calendars']).toContainEqual(calendar);
      ok(await planner.request('DELETE', `/v1/calendars/${id}`));
    },
    calendarEvents: async () => {
      const { calendar } = ok(await planner.post('/v1/calendars', { name }));
      const { id: calendarId } = calendar as { id: string };
      const startMs = Date.now();
      const given = { calendarId, title: name, startMs, endMs: startMs + 1000 };
      const { event } = ok(await planner.post('/v1/calendar-events', given));
      expect(ok(await planner.get('/v1/calendar-events', { calendarId }))['events']).toEqual([
        event,
      ]);
    },
    calendarTransfer: async () => {
      const path = `/calendars/${await aCalendar()}`;
      const times = ['DTSTART:20260327T080000Z', 'DTEND:20260327T090000Z'];
      const event = ['BEGIN:VEVENT', 'UID:one', `SUMMARY:${name}`, ...times, 'END:VEVENT'];
      const file = ['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR', ''].join('\r\n');
      const headers = { 'Content-Type': 'text/calendar' };
      const imported = await settings.request('POST', `${path}/import`, file, headers);
      expect(ok(imported)).toMatchObject({ created: 1, updated: 0, unreadable: [] });
      expect((await settings.get(`${path}/export`)).text).toContain(name);
    },
    calendarFeeds: async () => {
      const path = `/calendars/${await aCalendar()}/feed`;
      const { url } = ok(await settings.post(path, {}));
      const feed = await fetch(String(url));
      expect([feed.status, feed.headers.get('content-type')]).toEqual([
        200,
        'text/calendar; charset=utf-8',
      ]);
      expect(await feed.text()).toContain('END:VCALENDAR');
      ok(await settings.request('DELETE', path));
      expect((await fetch(String(url))).status).toBe(404);
    },
    availability: async () => {
      const from = Date.now();
      const asked = { from, to: from + 7 * 86_400_000 };
      const { busy, free } = ok(await planner.get('/v1/availability', asked));
      expect([Array.isArray(busy), (free as unknown[]).length > 0]).toEqual([true, true]);
    },
    invitations: async () => {
      ok(await settings.patch('/workspace', { mailEffects: 'authenticated' }));
      const email = 'camille@correspondent.example';
      const { calendar } = ok(await planner.post('/v1/calendars', { name }));
      const calendarId = (calendar as { id: string }).id;
      const given = { calendarId, title: name, startMs: 1, endMs: 2, attendees: [{ email }] };
      const { event } = ok(await planner.post('/v1/calendar-events', given));
      const content = [
        ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REPLY', 'BEGIN:VEVENT'],
        ...[`UID:${(event as { uid: string }).uid}`, 'DTSTAMP:20261126T130000Z'],
        ...[`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${email}`, 'END:VEVENT', 'END:VCALENDAR', ''],
      ].join('\r\n');
      const icalEvent = { method: 'REPLY', content };
      const { id } = await place.receive(api, mailbox, { from: email, icalEvent });
      const message = async () => {
        const answer = await api.get(`/v1/conversations/${id}`, { mailbox });
        return conversationOf(answer).messages[0] as unknown as {
          readonly id: string;
          readonly invitation: { readonly state: string } | null;
        };
      };
      await until(async () => (await message()).invitation !== null);
      const path = `/v1/invitations/${(await message()).id}/confirm`;
      expect(ok(await settings.post(path, {}))).toMatchObject({ invitation: { state: 'applied' } });
      await until(async () => (await message()).invitation?.state === 'applied');
      expect((await settings.post(path, {})).status).toBe(409);
      ok(await settings.patch('/workspace', { mailEffects: 'any' }));
    },
    workspace: async () => {
      expect(ok(await settings.get('/workspace'))).toMatchObject({
        workspace: { name: place.tenant.name },
      });
    },
    tasks: async () => {
      const { task } = ok(await planner.post('/v1/tasks', { title: name }));
      expect(ok(await planner.get('/v1/tasks', { q: name }))['tasks']).toEqual([task]);
    },
    audit: async () => {
      expect(ok(await settings.get('/audit/verify'))).toMatchObject({ ok: true });
    },
  };

  it('has a path here', () => {
    expect(new Set(Object.keys(happyPaths))).toEqual(families);
  });

  it.each([...families])('answers a write and a read: %s', async (family) => {
    await happyPaths[family]?.();
  });
});
