import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hashSessionToken } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { newSandboxId, problemFacts, table } from '@postroom/contracts';
import { Gateway, type SomeMember, type SomeWorkspace, password } from '../testing/gateway.js';
import { alike, bodyOf, type Answer, cookieOf } from '../testing/http.js';

describe('a session', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let email: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    ({ email } = await gateway.person(workspace));
  });

  const signIn = (given: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.signIn(email, given, headers);
  const setCookieOf = ({ headers }: Answer): string => headers['set-cookie']?.[0] ?? '';
  const statusWith = async (cookie: string): Promise<number> =>
    (await gateway.send('/settings/api/session', { headers: { cookie } })).status;
  const shift = (cookie: string, change: string): Promise<object[]> =>
    gateway.rows(`UPDATE sessions SET ${change} WHERE token_hash = $1`, [
      hashSessionToken(cookie.split('=')[1] ?? ''),
    ]);
  const memberOf = (answer: Answer): { id: string } => bodyOf(answer)['member'] as { id: string };

  it('that is refused is in the audit of the member, once a minute, however often it is tried', async () => {
    const guess = { password: 'wrong horse battery staple' };
    for (let n = 0; n < 3; n++) expect((await signIn(guess)).status).toBe(401);
    expect((await signIn({ email: 'nobody@acme.test' })).status).toBe(401);
    // Each gateway waits for its records, and knows nothing of the one before.
    await gateway.restart();
    expect((await signIn(guess)).status).toBe(401);
    await gateway.restart();
    const [{ id } = { id: '' }] = await gateway.rows<{ id: string }>(
      'SELECT id FROM members WHERE email = $1',
      [email],
    );
    const records = await gateway.audit(workspace);
    expect(records.filter(({ action }) => action.startsWith('member.sign'))).toEqual([
      { action: 'member.signInRefused', subjectId: id, actorId: id, requestId: expect.any(String) },
    ]);
  });

  describe('that is begun', () => {
    it('answers the member and the workspace, with a cookie that scripts cannot read', async () => {
      const answer = await signIn();
      expect(answer.status).toBe(200);
      expect(bodyOf(answer)).toEqual({
        member: expect.objectContaining({ email, role: 'member', active: true }),
        tenant: { id: workspace.id, name: workspace.name },
      });
      const [value, ...attributes] = setCookieOf(answer).split('; ');
      expect(value).toMatch(/^postroom_session=[\w-]{43}$/);
      expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax']);
      expect(answer.text).not.toContain(value?.split('=')[1] ?? '?');
    });

    it('has a cookie for HTTPS alone where the deployment is reached so', async () => {
      await gateway.restart({ PUBLIC_URL: 'https://postroom.example' });
      const answer = await signIn();
      expect(setCookieOf(answer)).toMatch(/^__Host-postroom_session=.*; Path=\/;.*; Secure$/);
      expect(await statusWith(cookieOf(answer))).toBe(200);
      expect(await statusWith(cookieOf(answer).replace('__Host-', ''))).toBe(401);
      await gateway.restart();
    });

    it('is kept as a hash', async () => {
      const token = cookieOf(await signIn()).split('=')[1] ?? '';
      const kept = await gateway.rows('SELECT * FROM sessions');
      expect(JSON.stringify(kept)).not.toContain(token);
      expect(kept).toContainEqual(expect.objectContaining({ token_hash: hashSessionToken(token) }));
    });

    it('passes the bus with its password and its cookie encrypted', async () => {
      const asked = jest.spyOn(gateway.bus, 'request');
      const token = cookieOf(await signIn()).split('=')[1] ?? '?';
      const calls = asked.mock.calls.map(([, request]) => request);
      const replies = await Promise.all(
        asked.mock.results.map(({ value }) => value as Promise<ReplyEnvelope>),
      );
      asked.mockRestore();
      expect(calls.map(({ operation }) => operation)).toEqual(['session.create']);
      const passed = [...calls.map(({ input }) => input), ...replies.map(({ body }) => body)];
      const texts = [JSON.stringify([calls, replies]), ...passed.map((bytes) => bytes.toString())];
      for (const text of texts) {
        expect(text).not.toContain(password);
        expect(text).not.toContain(token);
      }
    });

    it('is another each time and takes the place of the one it came with', async () => {
      const first = cookieOf(await signIn());
      const beside = cookieOf(await signIn());
      const second = cookieOf(await signIn({}, { cookie: first }));
      expect(new Set([first, beside, second]).size).toBe(3);
      expect([await statusWith(first), await statusWith(beside), await statusWith(second)]).toEqual(
        [401, 200, 200],
      );
    });

    it('takes the place of one of another workspace too', async () => {
      const other = await gateway.workspace();
      await gateway.person(other, { email, password: `another ${password}` });
      const first = cookieOf(await signIn());
      const second = cookieOf(await signIn({ password: `another ${password}` }, { cookie: first }));
      expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);
    });

    it('leaves an audit record', async () => {
      const answer = await signIn();
      expect(await gateway.audit(workspace)).toContainEqual({
        action: 'session.create',
        subjectId: expect.stringMatching(/^ses_/),
        actorId: memberOf(answer).id,
        requestId: answer.headers['x-request-id'],
      });
    });
  });

  it.each([
    ['the password changes', `password_hash = password_hash || 'A'`],
    ['the member is made inactive', 'active = false'],
  ])('does not begin when %s while it is under way', async (_what, change) => {
    await gateway.rows('BEGIN');
    await gateway.rows(`UPDATE members SET ${change} WHERE email = $1`, [email]);
    const signing = signIn();
    const waiting =
      'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
    while ((await gateway.rows(waiting)).length === 0) await sleep(10);
    await gateway.rows('COMMIT');
    const answer = await signing;
    expect([answer.status, bodyOf(answer).error]).toEqual([401, 'SIGN_IN_FAILED']);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    const sessions = `SELECT FROM sessions s JOIN members m ON m.id = s.member_id WHERE m.email = $1`;
    expect(await gateway.rows(sessions, [email])).toEqual([]);
  });

  it('is refused alike for an unknown address, a wrong password, and a member without a password', async () => {
    const invited = { email: `invited-${email}`, name: 'Robin' };
    await gateway.settings(workspace.admin, 'POST', '/members', invited);
    const answers = await Promise.all([
      signIn({ email: 'nobody@acme.test' }),
      signIn({ password: 'wrong' }),
      signIn({ email: invited.email }),
    ]);
    const [first] = answers.map(alike);
    for (const answer of answers) expect(alike(answer)).toEqual(first);
    expect(answers[0].status).toBe(401);
    expect(bodyOf(answers[0]).error).toBe('SIGN_IN_FAILED');
    expect(answers[0].headers).not.toHaveProperty('set-cookie');
  });

  it('is in the log when it is refused, with neither address nor password', async () => {
    await signIn({ password: 'a wrong horse' });
    await gateway.restart();
    const log = gateway.log.join('');
    expect(log).toContain('"reason":"SIGN_IN_FAILED"');
    for (const secret of [email, 'a wrong horse', password]) expect(log).not.toContain(secret);
  });

  it('is of the workspace whose password was given, where an address is in two', async () => {
    const other = await gateway.workspace();
    await gateway.person(other, { email, password: `another ${password}` });
    const here = await signIn();
    const there = await signIn({ password: `another ${password}` });
    expect([here, there].map((answer) => bodyOf(answer)['tenant'])).toEqual([
      { id: workspace.id, name: workspace.name },
      { id: other.id, name: other.name },
    ]);
  });

  describe('that lives', () => {
    let cookie: string;

    beforeEach(async () => {
      cookie = cookieOf(await signIn());
    });

    it('tells who is signed in', async () => {
      const answer = await gateway.send('/settings/api/session', { headers: { cookie } });
      expect(bodyOf(answer)).toMatchObject({ member: { email }, tenant: { id: workspace.id } });
    });

    it('ends after 12 hours without a request', async () => {
      await shift(cookie, `seen_at = now() - interval '12 hours 1 second'`);
      expect(await statusWith(cookie)).toBe(401);
      await shift(cookie, `seen_at = now() - interval '11 hours 59 minutes'`);
      expect(await statusWith(cookie)).toBe(200);
    });

    it('is kept by its requests', async () => {
      await gateway.restart();
      await shift(cookie, `seen_at = now() - interval '11 hours'`);
      await statusWith(cookie);
      await gateway.restart();
      await shift(cookie, `seen_at = seen_at - interval '11 hours'`);
      expect(await statusWith(cookie)).toBe(200);
    });

    it('ends after 7 days whatever happens', async () => {
      await shift(cookie, `created_at = now() - interval '7 days' + interval '1 minute'`);
      expect(await statusWith(cookie)).toBe(200);
      await shift(cookie, `created_at = now() - interval '7 days 1 second'`);
      expect(await statusWith(cookie)).toBe(401);
    });

    it('ends for good when its member signs out, alone', async () => {
      const other = cookieOf(await signIn());
      const ended = await gateway.send('/settings/api/session', {
        method: 'DELETE',
        headers: { cookie },
      });
      expect(bodyOf(ended)).toEqual({ ok: true });
      expect(setCookieOf(ended)).toMatch(/^postroom_session=; .*Max-Age=0/);
      expect([await statusWith(cookie), await statusWith(other)]).toEqual([401, 200]);
    });

    it('ends everywhere when the password changes', async () => {
      const { id } = memberOf(await gateway.send('/settings/api/session', { headers: { cookie } }));
      const reset = await gateway.settings(workspace.admin, 'POST', `/members/${id}/reset-link`);
      const token = new URL(String(bodyOf(reset)['resetUrl'])).searchParams.get('token');
      const changed = await gateway.send('/settings/api/invitations/accept', {
        method: 'POST',
        body: { token, password: `new ${password}` },
      });
      expect(await statusWith(cookie)).toBe(401);
      expect(await statusWith(cookieOf(changed))).toBe(200);
      expect((await signIn()).status).toBe(401);
      expect((await signIn({ password: `new ${password}` })).status).toBe(200);
    });

    it('ends when its member is made inactive, and does not come back with it', async () => {
      const { id } = memberOf(await gateway.send('/settings/api/session', { headers: { cookie } }));
      const set = (active: boolean): Promise<Answer> =>
        gateway.settings(workspace.admin, 'PATCH', `/members/${id}`, { active });
      await set(false);
      expect(await statusWith(cookie)).toBe(401);
      expect((await signIn()).status).toBe(401);
      await set(true);
      expect(await statusWith(cookie)).toBe(401);
      expect((await signIn()).status).toBe(200);
    });

    it('is none when two cookies claim to be it', async () => {
      const other = cookieOf(await signIn());
      expect(await statusWith(`${cookie}; ${other}`)).toBe(401);
      expect(await statusWith(`a=b; ${cookie}`)).toBe(200);
    });
  });

  describe('in the list', () => {
    const list = async (cookie: string): Promise<readonly { id: string; current: boolean }[]> => {
      const answer = await gateway.send('/settings/api/sessions', { headers: { cookie } });
      return bodyOf(answer)['items'] as { id: string; current: boolean }[];
    };
    const end = (cookie: string, id: string): Promise<Answer> =>
      gateway.send(`/settings/api/sessions/${id}`, { method: 'DELETE', headers: { cookie } });

    it('stands with the others of its member, the newest first, until it has ended', async () => {
      const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
      const [old, cookie] = [
        cookieOf(await signIn()),
        cookieOf(await signIn({}, { 'user-agent': firefox })),
      ];
      const [newest, oldest, ...more] = await list(cookie);
      expect([newest?.current, oldest?.current, more]).toEqual([true, false, []]);
      expect(newest).toEqual({
        id: expect.stringMatching(/^ses_/),
        createdAt: expect.stringMatching(/Z$/),
        seenAt: expect.stringMatching(/Z$/),
        current: true,
        device: 'Firefox on Linux',
        address: '127.0.0.1',
      });
      await shift(old, `seen_at = now() - interval '12 hours 1 second'`);
      expect(await list(cookie)).toHaveLength(1);
    });

    it('is ended by another one of its member, and by itself with its cookie', async () => {
      const [old, cookie] = [cookieOf(await signIn()), cookieOf(await signIn())];
      const [mine, other] = await list(cookie);
      expect(setCookieOf(await end(cookie, other?.id ?? ''))).toBe('');
      expect([await statusWith(old), await statusWith(cookie)]).toEqual([401, 200]);
      const ended = await end(cookie, mine?.id ?? '');
      expect([ended.status, setCookieOf(ended)]).toEqual([
        200,
        expect.stringMatching(/^postroom_session=; .*Max-Age=0/),
      ]);
      expect(await statusWith(cookie)).toBe(401);
    });

    it('is not ended by anybody else, administrator or not', async () => {
      const cookie = cookieOf(await signIn());
      const [mine] = await list(cookie);
      const stranger = await gateway.workspace();
      for (const by of [workspace.admin.cookie, stranger.admin.cookie]) {
        const answer = await end(by, mine?.id ?? '');
        expect([answer.status, bodyOf(answer).error]).toEqual([404, 'SESSION_NOT_FOUND']);
      }
      expect(await statusWith(cookie)).toBe(200);
    });

    it('makes room for a newer one beyond a thousand', async () => {
      const cookie = cookieOf(await signIn());
      const { id } = memberOf(await gateway.send('/settings/api/session', { headers: { cookie } }));
      await gateway.rows(
        `INSERT INTO sessions (id, tenant_id, member_id, token_hash, created_at, seen_at)
         SELECT 'ses_' || n || $2, $1, $2, n || $2, now() + interval '1 ms', now()
         FROM generate_series(1, 999) n`,
        [workspace.id, id],
      );
      expect(await statusWith(cookie)).toBe(200);
      const newest = cookieOf(await signIn());
      expect([await statusWith(cookie), await statusWith(newest)]).toEqual([401, 200]);
    });
  });

  it.each(['', 'postroom_session=', 'postroom_session=x', `postroom_session=${'A'.repeat(43)}`])(
    'is none for the cookie %j',
    async (cookie) => {
      const answer = await gateway.send('/settings/api/members', { headers: { cookie } });
      expect(answer.status).toBe(401);
      expect(bodyOf(answer)).toEqual({
        error: 'UNAUTHENTICATED',
        message: problemFacts('UNAUTHENTICATED').en,
        requestId: answer.headers['x-request-id'],
      });
    },
  );

  describe('on another page', () => {
    const write = (member: SomeMember, origin: string): Promise<Answer> =>
      gateway.send('/settings/api/send-switch', {
        method: 'PUT',
        headers: { cookie: member.cookie, origin },
        body: { open: true },
      });

    it.each([
      'https://evil.example',
      'null',
      'http://127.0.0.1',
      'http://127.0.0.1:1',
      'file://',
      '',
    ])('writes nothing: %j', async (origin) => {
      const answer = await write(workspace.admin, origin);
      expect(answer.status).toBe(403);
      expect(bodyOf(answer).error).toBe('FOREIGN_ORIGIN');
      const begun = await signIn({}, { origin });
      expect(begun.status).toBe(403);
      expect(begun.headers).not.toHaveProperty('set-cookie');
    });

    it('reads, since the page cannot see the answer', async () => {
      const headers = { cookie: workspace.admin.cookie, origin: 'https://evil.example' };
      const answer = await gateway.send('/settings/api/session', { headers });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    });

    it('writes when the page is one of our own, by its public name or the one it was asked by', async () => {
      await gateway.restart({ PUBLIC_URL: 'https://postroom.example/' });
      const cookie = `__Host-${workspace.admin.cookie}`;
      for (const origin of ['https://postroom.example', gateway.url('')]) {
        expect((await write({ ...workspace.admin, cookie }, origin)).status).toBe(200);
      }
      await gateway.restart();
    });
  });

  describe('of one who is no administrator', () => {
    const operations = table.filter(({ audience, admin }) => audience === 'member' && admin);
    const sandboxId = newSandboxId();
    beforeAll(async () => {
      await gateway.workspace(undefined, sandboxId);
    });

    it.each(operations.map((operation) => [operation.id, operation] as const))(
      'may not %s',
      async (_id, { method, path }) => {
        // A sandbox has the routes of every other workspace, and its own.
        const member = await gateway.member({ id: sandboxId });
        const body = method === 'GET' ? undefined : {};
        const answer = await gateway.settings(member, method, path.replace(':id', 'x'), body);
        expect(answer.status).toBe(403);
        expect(bodyOf(answer).error).toBe('ADMIN_REQUIRED');
      },
    );

    it('opens nothing of the public API', async () => {
      const { cookie } = await gateway.member(workspace);
      expect((await gateway.send('/public/v1/conversations', { headers: { cookie } })).status).toBe(
        401,
      );
    });
  });
});
