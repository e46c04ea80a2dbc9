import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mountedOperations, newId, table } from '@postroom/contracts';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';

const mailbox = 'support@acme.test';
const archive = `/v1/conversations/${newId('cnv')}/archive`;

describe('the public API as members call it', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(() => {
    gateway.mail.calls.length = 0;
    gateway.mail.answer = () => ({ body: { ok: true } });
  });

  it('has every operation of keys but those that speak of a key', () => {
    const ofMembers = mountedOperations.filter(
      ({ audience, path }) => audience === 'member' && path.startsWith('/v1/'),
    );
    const missing = table.filter(
      (operation) =>
        operation.audience === 'key' && !ofMembers.some(({ id }) => id === operation.id),
    );
    expect(missing.every(({ keysOnly }) => keysOnly)).toBe(true);
    expect(missing.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1/me', '/v1/me/refusals', '/v1/approvals/:id']),
    );
  });

  it('is called in the name of the member, as from the application', async () => {
    const answer = await gateway.settings(workspace.admin, 'POST', archive, { mailbox });
    expect(answer.status).toBe(200);
    expect(gateway.mail.calls).toMatchObject([
      {
        caller: { type: 'member', source: 'app', memberId: workspace.admin.id },
        request: { operation: 'conversations.archive', preview: false },
      },
    ]);
  });

  it('refuses as the settings do', async () => {
    expect(bodyOf(await gateway.settings(workspace.admin, 'POST', archive, {}))).toMatchObject({
      error: 'INVALID_REQUEST',
      details: [{ field: 'mailbox', message: expect.stringMatching(/expected/) }],
    });
    const body = { violations: [] };
    gateway.mail.answer = () => ({ status: 403, problem: 'MAILBOX_FORBIDDEN', body });
    const refused = await gateway.settings(workspace.admin, 'POST', archive, { mailbox });
    expect(refused.status).toBe(403);
    expect(bodyOf(refused)).toMatchObject({ error: 'MAILBOX_FORBIDDEN' });
  });

  it('answers a page of the member whose session it is, and of nobody else', async () => {
    const { admin } = workspace;
    const other = await gateway.member(workspace);
    const statusAt = async (path: string, page: string, method: string): Promise<number> => {
      const headers = { cookie: admin.cookie, 'x-postroom-member': page };
      const ask = { method, headers, ...(method === 'POST' && { body: { mailbox } }) };
      return (await gateway.send(`/settings/api${path}`, ask)).status;
    };
    expect(await statusAt(archive, admin.id, 'POST')).toBe(200);
    gateway.mail.calls.length = 0;
    for (const page of [other.id, ''])
      expect([
        await statusAt(archive, page, 'POST'),
        await statusAt('/stream', page, 'GET'),
      ]).toEqual([401, 401]);
    expect(gateway.mail.calls).toEqual([]);
  });

  it('is closed to keys, to other origins, and where it speaks of a key', async () => {
    const key = await gateway.key(workspace, {
      scopes: ['write:conversations'],
      grants: { [mailbox]: 'write' },
    });
    const path = `/settings/api${archive}`;
    const ask = { method: 'POST', body: { mailbox } };
    const withKey = await gateway.send(path, { ...ask, headers: { 'x-api-key': key } });
    expect(withKey.status).toBe(401);
    const { cookie } = workspace.admin;
    const headers = { cookie, origin: 'https://elsewhere.test' };
    expect((await gateway.send(path, { ...ask, headers })).status).toBe(403);
    for (const closed of ['/v1/me', '/v1/me/refusals', `/v1/approvals/${newId('apr')}`])
      expect((await gateway.settings(workspace.admin, 'GET', closed)).status).toBe(404);
    expect(gateway.mail.calls).toEqual([]);
  });
});

describe('what a key can find out about itself', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  it('is what it may do', async () => {
    const key = await gateway.key(workspace, {
      ...{ kind: 'agent', approval: 'required', scopes: ['write:conversations'] },
      ...{ grants: { [mailbox]: 'write' }, member: workspace.admin },
    });
    expect(bodyOf(await gateway.ask(key, '/v1/me'))).toEqual({
      ...{ id: idOfKey(key), name: 'A key', kind: 'agent', approval: 'required', admin: false },
      scopes: ['write:conversations'],
      mailboxes: [{ address: mailbox, access: 'write' }],
      member: workspace.admin.email,
      limits: { requestsPerMinute: 1_000_000, sendsPerMinute: 10, pendingApprovals: 100 },
      truncated: false,
    });
  });

  it('is what it was refused: its own writes, with the check that refused', async () => {
    const key = await gateway.key(workspace, { scopes: [] });
    const other = await gateway.key(workspace, { scopes: ['write:conversations'] });
    const ask = { method: 'POST', body: { mailbox } };
    await gateway.ask(key, archive, { ...ask, headers: { 'x-request-id': 'mine' } });
    await gateway.ask(key, `/v1/conversations?mailbox=${mailbox}`);
    await gateway.ask(other, archive, ask);
    await gateway.restart();
    const refused = {
      ...{ at: expect.any(String), operation: 'conversations.archive', status: 403 },
      requestId: expect.any(String),
    };
    expect(bodyOf(await gateway.ask(key, '/v1/me/refusals'))).toEqual({
      refusals: [{ ...refused, code: 'SCOPE_MISSING', rule: 'scope', requestId: 'mine' }],
      nextPageToken: null,
    });
    expect(bodyOf(await gateway.ask(other, '/v1/me/refusals'))).toEqual({
      refusals: [{ ...refused, code: 'MAILBOX_FORBIDDEN', rule: 'mailbox' }],
      nextPageToken: null,
    });
    const asAdmin = (id: string) =>
      gateway.settings(workspace.admin, 'GET', `/keys/${id}/refusals`);
    expect(bodyOf(await asAdmin(idOfKey(key)))).toMatchObject({
      refusals: [{ requestId: 'mine' }],
    });
    expect(await asAdmin(newId('key'))).toMatchObject({ status: 404 });
  });

  it('names the code that was answered, and is in the order of time on every page', async () => {
    const member = await gateway.member(workspace);
    const agent = await gateway.key(workspace, {
      ...{ kind: 'agent', approval: 'required', member },
      scopes: ['write:tasks', 'write:calendar'],
    });
    const headers = { 'idempotency-key': 'a-good-key' };
    const ask = async (method: string, path: string, body?: object): Promise<unknown> =>
      bodyOf(await gateway.ask(agent, path, { method, headers, ...(body && { body }) })).error;
    const answered = [
      await ask('POST', '/v1/tasks', { note: 'x' }),
      await ask('DELETE', `/v1/calendars/${newId('cal')}`),
      await ask('POST', '/v1/tasks', { title: 'x'.repeat(2 * 1024 * 1024) }),
    ];
    expect(answered).toEqual(['TITLE_REQUIRED', 'CALENDAR_NOT_FOUND', 'TASKS_FAILED']);
    await gateway.restart();
    // As if their ids had been made in another order than they were refused in.
    for (const [status, minutes, id] of [
      [400, 3, 'ref_Z'],
      [404, 2, 'ref_Y'],
      [413, 1, 'ref_X'],
    ]) {
      await gateway.rows(
        `UPDATE refused_writes SET at = now() - make_interval(mins => $3), id = $4
         WHERE key_id = $1 AND status = $2`,
        [idOfKey(agent), status, minutes, id],
      );
    }
    const pages: { code: string; rule: string }[] = [];
    for (let token: string | null = ''; token !== null;) {
      const more: string = token === '' ? '' : `&pageToken=${token}`;
      const page = bodyOf(await gateway.ask(agent, `/v1/me/refusals?limit=1${more}`));
      pages.push(...(page['refusals'] as typeof pages));
      token = page['nextPageToken'] as string | null;
    }
    expect(pages.map(({ code, rule }) => [code, rule])).toEqual([
      ['TASKS_FAILED', 'input'],
      ['CALENDAR_NOT_FOUND', 'approval'],
      ['TITLE_REQUIRED', 'input'],
    ]);
  });
});
