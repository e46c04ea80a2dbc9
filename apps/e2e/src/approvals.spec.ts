import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { table } from '@postroom/contracts';
import { approvalOf, decide } from './approving.js';
import type { Answer } from './http.js';
import { SettingsApi } from './settings-api.js';
import { conversationOf, draftOf, draftsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** What an agent may do of everything. */
const scopes = [
  ...['conversations', 'contacts', 'calendar', 'tasks'].flatMap((name) => [
    `read:${name}`,
    `write:${name}`,
  ]),
  'drafts:write',
];

/** A write on resources of its own, ready to be asked for. */
interface Ready {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** What there is, as the API shows it: to see that nothing has changed. */
  readonly look: () => Promise<unknown>;
  /** The same request for something that is not there. */
  readonly unknown?: string;
}

let place: Workplace;
let settings: SettingsApi;
let mailbox: string;
let waits: OwnKey;
let direct: OwnKey;
let bookId: string;

beforeAll(async () => {
  place = await Workplace.open('acme');
  settings = place.settings;
  mailbox = await place.mailbox();
  const { book } = recordOf(await settings.post('/address-books', { name: randomUUID() }));
  bookId = (book as { id: string }).id;
  const agent = { kind: 'agent', scopes, member: place.tenant.member.email };
  waits = await place.keyFor(mailbox, { ...agent, approval: 'required' });
  direct = await place.keyFor(mailbox, { ...agent, approval: 'none' });
});

const conversation = async (): Promise<string> => (await place.receive(direct, mailbox)).id;

/** A write on a conversation that is in the state that it needs. */
const onConversation =
  (verb: string, more: () => object = () => ({}), before?: string) =>
  async (): Promise<Ready> => {
    const id = await conversation();
    if (before !== undefined) await direct.post(`/v1/conversations/${id}/${before}`, { mailbox });
    return {
      ...{ method: 'POST', path: `/v1/conversations/${id}/${verb}` },
      body: { mailbox, ...more() },
      look: async () => conversationOf(await direct.get(`/v1/conversations/${id}`, { mailbox })),
      unknown: `/v1/conversations/cnv_00000000000000000000000000/${verb}`,
    };
  };

const someDraft = async (): Promise<string> =>
  draftOf(await direct.post('/v1/drafts', { mailbox, draft: { subject: 'Before' } })).id;

const drafts = async (): Promise<unknown> =>
  draftsOf(await direct.get('/v1/drafts', { mailbox, limit: 100 }));

const all = async (path: string): Promise<unknown> => {
  const { window: _, ...rest } = recordOf(await direct.get(path));
  return rest;
};

/** Makes one directly. @returns its id */
const made = async (path: string, one: object, name: string): Promise<string> =>
  (recordOf(await direct.post(path, one, randomUUID()))[name] as { id: string }).id;

const aContact = () => ({
  bookId,
  displayName: 'Camille',
  emails: [{ value: `${randomUUID()}@x.test` }],
});

const anEvent = async () => ({
  calendarId: await made('/v1/calendars', { name: 'Team' }, 'calendar'),
  ...{ title: 'Meeting', startMs: 1_900_000_000_000, endMs: 1_900_000_360_000 },
});

/** Every write that may have to wait, by its operation. */
const writes: Readonly<Record<string, () => Promise<Ready>>> = {
  'conversations.archive': onConversation('archive'),
  'conversations.reopen': onConversation('reopen', undefined, 'archive'),
  'conversations.comment': onConversation('comment', () => ({ text: 'A thought.' })),
  'conversations.assign': onConversation('assign', () => ({ status: 'pending' })),
  'conversations.label': onConversation('labels', () => ({ add: ['VIP'] })),
  'conversations.snooze': onConversation('snooze', () => ({
    until: new Date(Date.now() + 3_600_000).toISOString(),
  })),
  'drafts.create': () =>
    Promise.resolve({
      ...{ method: 'POST', path: '/v1/drafts', look: drafts },
      body: { mailbox, draft: { subject: 'Hello', to: 'camille@correspondent.example' } },
    }),
  'drafts.update': async () => ({
    ...{ method: 'PATCH', path: `/v1/drafts/${await someDraft()}`, look: drafts },
    body: { mailbox, draft: { subject: 'After' } },
    unknown: '/v1/drafts/drf_00000000000000000000000000',
  }),
  'drafts.remove': async () => {
    const query = `?mailbox=${encodeURIComponent(mailbox)}`;
    return {
      ...{ method: 'DELETE', path: `/v1/drafts/${await someDraft()}${query}`, look: drafts },
      unknown: `/v1/drafts/drf_00000000000000000000000000${query}`,
    };
  },
  'contacts.create': async () => ({
    ...{ method: 'POST', path: '/v1/contacts', look: () => all('/v1/contacts') },
    body: aContact(),
  }),
  'contacts.update': async () => {
    const id = await made('/v1/contacts', aContact(), 'contact');
    return {
      ...{ method: 'PATCH', path: `/v1/contacts/${id}`, look: () => all('/v1/contacts') },
      body: { jobTitle: 'Captain' },
      unknown: '/v1/contacts/ctc_00000000000000000000000000',
    };
  },
  'contacts.remove': async () => {
    const id = await made('/v1/contacts', aContact(), 'contact');
    return {
      ...{ method: 'DELETE', path: `/v1/contacts/${id}`, look: () => all('/v1/contacts') },
      unknown: '/v1/contacts/ctc_00000000000000000000000000',
    };
  },
  'calendars.create': async () => ({
    ...{ method: 'POST', path: '/v1/calendars', look: () => all('/v1/calendars') },
    body: { name: 'Team' },
  }),
  'calendarEvents.create': async () => ({
    ...{ method: 'POST', path: '/v1/calendar-events', look: () => all('/v1/calendar-events') },
    body: await anEvent(),
  }),
  'calendarEvents.update': async () => {
    const id = await made('/v1/calendar-events', await anEvent(), 'event');
    return {
      ...{ method: 'PATCH', path: `/v1/calendar-events/${id}`, body: { title: 'Moved' } },
      look: () => all('/v1/calendar-events'),
      unknown: '/v1/calendar-events/evt_00000000000000000000000000',
    };
  },
  'calendarEvents.remove': async () => {
    const id = await made('/v1/calendar-events', await anEvent(), 'event');
    return {
      ...{ method: 'DELETE', path: `/v1/calendar-events/${id}` },
      look: () => all('/v1/calendar-events'),
      unknown: '/v1/calendar-events/evt_00000000000000000000000000',
    };
  },
  'tasks.create': async () => ({
    ...{ method: 'POST', path: '/v1/tasks', look: () => all('/v1/tasks') },
    body: { title: 'Call back' },
  }),
  'tasks.update': async () => {
    const id = await made('/v1/tasks', { title: 'Call back' }, 'task');
    return {
      ...{ method: 'PATCH', path: `/v1/tasks/${id}`, look: () => all('/v1/tasks') },
      body: { priority: 'high' },
      unknown: '/v1/tasks/tsk_00000000000000000000000000',
    };
  },
  'tasks.remove': async () => {
    const id = await made('/v1/tasks', { title: 'Call back' }, 'task');
    return {
      ...{ method: 'DELETE', path: `/v1/tasks/${id}`, look: () => all('/v1/tasks') },
      unknown: '/v1/tasks/tsk_00000000000000000000000000',
    };
  },
  'webhookTests.emit': () =>
    Promise.resolve({
      ...{ method: 'GET', path: '/v1/webhooks/test', look: () => Promise.resolve(null) },
    }),
};

const ask = (
  key: OwnKey,
  { method, path, body }: Ready,
  idempotencyKey?: string,
): Promise<Answer> =>
  key.request(method, path, body && JSON.stringify(body), {
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  });

/** An answer without what differs between two resources: identifiers and times. */
const shape = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}/g, 'an id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'a uuid')
      .replaceAll(/"sequence":\d+/g, '"sequence":0'),
  ) as unknown;

describe('every write of an agent that has to wait', () => {
  const eligible = table.filter(({ approval }) => approval === 'eligible').map(({ id }) => id);

  it('is tried here', () => {
    expect([...eligible].sort()).toEqual(Object.keys(writes).sort());
  });

  it.each(Object.entries(writes))(
    '%s is filed, changes nothing, and is done like a direct one once it is approved',
    async (operation, prepare) => {
      const ready = await prepare();
      expect((await ask(waits, ready)).status).toBe(400);
      const before = await ready.look();
      const key = randomUUID();
      const filed = await ask(waits, ready, key);
      expect(filed.status).toBe(202);
      expect(approvalOf(filed)).toMatchObject({ operation, state: 'pending', idempotencyKey: key });
      expect(await ready.look()).toEqual(before);
      const twin = await ask(direct, await prepare(), randomUUID());
      const decided = await decide(settings, approvalOf(filed), 'approve');
      const { state, result } = approvalOf(decided);
      expect([state, result?.status]).toEqual(['executed', twin.status]);
      expect(shape(result?.body)).toEqual(
        shape(JSON.parse(twin.text.replaceAll(direct.id, waits.id))),
      );
      const again = await ask(waits, ready, key);
      expect(again).toMatchObject({
        status: twin.status,
        headers: { 'x-svc-idempotency': 'hit' },
      });
      expect(JSON.parse(again.text)).toEqual(result?.body);
    },
  );

  it.each(Object.entries(writes))('%s is refused at once as a direct one', async (_id, prepare) => {
    const { unknown, ...ready } = await prepare();
    const bad: Ready[] = [];
    if (unknown !== undefined) bad.push({ ...ready, path: unknown });
    // A change of nothing is no fault.
    if (ready.body && ready.method === 'POST') bad.push({ ...ready, body: {} });
    for (const one of bad) {
      const answers = [await ask(waits, one, randomUUID()), await ask(direct, one, randomUUID())];
      const [first, second] = answers.map(({ status, text }) => {
        const { requestId: _, ...body } = JSON.parse(text) as { requestId: string };
        return { status, body };
      });
      expect(first?.status).toBeGreaterThanOrEqual(400);
      expect(first).toEqual(second);
    }
  });
});

describe('an approval', () => {
  const sessionFile = join(tmpdir(), `postroom-e2e-${randomUUID()}.json`);
  afterAll(() => rm(sessionFile, { force: true }));

  const file = async (text: string): Promise<Answer> => {
    const body = { mailbox, text };
    return waits.post(`/v1/conversations/${await conversation()}/comment`, body, randomUUID());
  };

  it('is done once, with one event and one line of the audit, however often it is clicked', async () => {
    const filed = approvalOf(await file('Once.'));
    const member = await SettingsApi.signIn(place.product, place.tenant.member);
    const clicks = await Promise.all(
      [settings, member, settings, member].map((one) => decide(one, filed, 'approve')),
    );
    expect(clicks.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const id = filed.target?.id ?? '';
    const { comments } = conversationOf(await direct.get(`/v1/conversations/${id}`, { mailbox }));
    expect(comments.map(({ text }) => text)).toEqual(['Once.']);
    const audit = await settings.get('/audit?action=conversations.comment&limit=200');
    const entries = recordOf(audit)['items'] as { subjectId: string; approvedBy: string | null }[];
    for (const { subjectId, approvedBy } of entries)
      if (subjectId === id) expect(approvedBy).toMatch(/^mbr_/);
  });

  it('of a change is refused when its target has changed meanwhile', async () => {
    const id = await someDraft();
    const change = { mailbox, draft: { subject: 'Filed' } };
    const filed = await waits.request('PATCH', `/v1/drafts/${id}`, JSON.stringify(change), {
      'Idempotency-Key': randomUUID(),
    });
    const other = { mailbox, draft: { subject: 'Meanwhile' } };
    await direct.request('PATCH', `/v1/drafts/${id}`, JSON.stringify(other));
    expect(approvalOf(await decide(settings, approvalOf(filed), 'approve'))).toMatchObject({
      state: 'refused',
      result: { status: 409 },
    });
  });

  it('is decided at the command line, which hides nothing', async () => {
    const filed = approvalOf(await file('Look \u202ebackwards\u001b[2K'));
    const { url, env } = commandLine();
    const run = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)('npm', ['run', '-s', 'postroom', '--', ...args, ...url], { env }))
        .stdout;
    expect(await run('approvals', 'list')).toContain(filed.id);
    expect(await run('approvals', 'show', filed.id)).toContain(
      'text: Look \\u{202e}backwards\\u{1b}[2K',
    );
    expect(await run('approvals', 'approve', filed.id)).toContain('executed');
    expect(await run('approvals', 'reject', filed.id, '--comment', 'Late')).toContain(
      'decided already',
    );
    expect((await stat(sessionFile)).mode & 0o777).toBe(0o600);
  }, 60_000);

  const commandLine = () => {
    const { email, password } = place.tenant.member;
    return {
      url: ['--url', new URL(place.product.settingsUrl).origin, '--as', email],
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
        POSTROOM_PASSWORD: password,
        POSTROOM_SESSION_FILE: sessionFile,
      },
    };
  };
});
