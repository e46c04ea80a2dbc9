import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { InvitedMember, Member, MemberList } from '@postroom/contracts';
import { Gateway, idOfKey, type SomeWorkspace } from '../testing/gateway.js';
import { bodyOf, type Answer } from '../testing/http.js';

const password = 'correct horse battery staple';

describe('members', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let number = 0;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    workspace = await gateway.workspace();
  });

  const settings = (method: string, path: string, body?: object): Promise<Answer> =>
    gateway.settings(workspace.admin, method, path, body);
  const add = async (given: object = {}): Promise<InvitedMember> => {
    const body = { email: `person-${number++}@acme.test`, name: 'Robin', ...given };
    const answer = await settings('POST', '/members', body);
    expect(answer.status).toBe(201);
    return JSON.parse(answer.text) as InvitedMember;
  };
  const list = async (): Promise<readonly Member[]> =>
    (JSON.parse((await settings('GET', '/members')).text) as MemberList).items;
  const tokenOf = (url: unknown): string => new URL(String(url)).searchParams.get('token') ?? '';
  const accept = (token: string, given = password): Promise<Answer> =>
    gateway.send('/settings/api/invitations/accept', {
      method: 'POST',
      body: { token, password: given },
    });
  const expectProblem = (answer: Answer, status: number, code: string): void => {
    expect(answer.status).toBe(status);
    expect(bodyOf(answer).error).toBe(code);
  };

  it('are listed whole, without anything secret', async () => {
    const { member } = await add({ password });
    const items = await list();
    expect(items.map(({ id }) => id).sort()).toEqual([workspace.admin.id, member.id].sort());
    expect(Object.keys(items[0] ?? {}).sort()).toEqual([
      'active',
      'canApprove',
      'createdAt',
      'email',
      'id',
      'name',
      'role',
      'version',
    ]);
  });

  describe('POST /members', () => {
    it('adds one with a password, who signs in with it, and needs no link', async () => {
      const { member, ...rest } = await add({ password, role: 'admin', canApprove: true });
      expect(member).toMatchObject({ role: 'admin', canApprove: true, active: true, version: 1 });
      expect(rest).toEqual({});
      const { email } = member;
      const signedIn = await gateway.send('/settings/api/session', {
        method: 'POST',
        body: { email, password },
      });
      expect(signedIn.status).toBe(200);
    });

    it('gives few rights unless told otherwise, and keeps the address in lower case', async () => {
      const { member } = await add({ email: `Robin.${number++}@ACME.test` });
      expect(member).toMatchObject({ role: 'member', canApprove: false });
      expect(member.email).toBe(member.email.toLowerCase());
    });

    it('keeps the password as argon2id alone', async () => {
      const { member } = await add({ password });
      const [row] = await gateway.rows<{ password_hash: string }>(
        'SELECT * FROM members WHERE id = $1',
        [member.id],
      );
      expect(row?.password_hash).toMatch(/^\$argon2id\$/);
      expect(JSON.stringify(row)).not.toContain(password);
    });

    it('refuses an address that is taken in the workspace, in any case', async () => {
      const { member } = await add();
      const again = { email: member.email.toUpperCase(), name: 'Robin' };
      expectProblem(await settings('POST', '/members', again), 409, 'EMAIL_TAKEN');
      const elsewhere = await gateway.workspace();
      expect((await gateway.settings(elsewhere.admin, 'POST', '/members', again)).status).toBe(201);
    });

    it.each([
      ['email', { email: 'robin', name: 'Robin' }],
      ['name', { email: 'a@b.test', name: '  ' }],
      ['role', { email: 'a@b.test', name: 'Robin', role: 'owner' }],
      ['canApprove', { email: 'a@b.test', name: 'Robin', canApprove: 'yes' }],
      ['password', { email: 'a@b.test', name: 'Robin', password: 'too short' }],
      ['password', { email: 'a@b.test', name: 'Robin', password: 'Basketball' }],
      ['password', { email: 'a@b.test', name: 'Robin', password: 'Postroom-2026!' }],
      ['active', { email: 'a@b.test', name: 'Robin', active: true }],
    ])('names the field at fault: %s', async (field, body) => {
      const answer = await settings('POST', '/members', body);
      expectProblem(answer, 400, 'INVALID_REQUEST');
      expect(bodyOf(answer).details).toEqual([
        { field, code: expect.any(String), message: expect.any(String) },
      ]);
    });

    it('counts the length of a password in characters', async () => {
      await add({ password: '🐎'.repeat(10) });
      const answer = await settings('POST', '/members', {
        email: 'z@b.test',
        name: 'Z',
        password: '🐎'.repeat(9),
      });
      expectProblem(answer, 400, 'INVALID_REQUEST');
    });
  });

  describe('an invitation', () => {
    it('is a link of the deployment that opens once, with a password of the member’s choice', async () => {
      const { member, invitationUrl } = await add();
      expect(invitationUrl).toMatch(
        new RegExp(`^${gateway.url('/invitation')}\\?token=[\\w-]{43}$`),
      );
      const accepted = await accept(tokenOf(invitationUrl));
      expect(accepted.status).toBe(200);
      expect(bodyOf(accepted)).toMatchObject({
        member: { id: member.id },
        tenant: { id: workspace.id },
      });
      expect(accepted.headers['set-cookie']?.[0]).toContain('postroom_session=');
      expectProblem(await accept(tokenOf(invitationUrl)), 404, 'INVITATION_INVALID');
    });

    it('opens once also when it is used by several at once', async () => {
      const { invitationUrl } = await add();
      const token = tokenOf(invitationUrl);
      const answers = await Promise.all([1, 2, 3].map((i) => accept(token, `${password} ${i}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    });

    it('survives a password that is refused', async () => {
      const token = tokenOf((await add()).invitationUrl);
      expectProblem(await accept(token, 'too short'), 400, 'INVALID_REQUEST');
      const common = await accept(token, 'password123');
      expectProblem(common, 400, 'INVALID_REQUEST');
      expect(bodyOf(common)['message']).toContain('one of the most common passwords');
      expect((await accept(token)).status).toBe(200);
    });

    it('opens for seven days', async () => {
      const { member, invitationUrl } = await add();
      const set = (left: string): Promise<object[]> =>
        gateway.rows(
          `UPDATE invitations SET expires_at = now() + $2::interval WHERE member_id = $1`,
          [member.id, left],
        );
      const [row] = await gateway.rows<{ days: number }>(
        `SELECT extract(epoch FROM expires_at - now()) / 86400 AS days FROM invitations WHERE member_id = $1`,
        [member.id],
      );
      expect(Number(row?.days)).toBeCloseTo(7, 2);
      await set('-1 second');
      expectProblem(await accept(tokenOf(invitationUrl)), 404, 'INVITATION_INVALID');
      await set('1 minute');
      expect((await accept(tokenOf(invitationUrl))).status).toBe(200);
    });

    it('is replaced by a reset link, which is replaced by the next', async () => {
      const { member, invitationUrl } = await add();
      const first = bodyOf(await settings('POST', `/members/${member.id}/reset-link`));
      const second = bodyOf(await settings('POST', `/members/${member.id}/reset-link`));
      expectProblem(await accept(tokenOf(invitationUrl)), 404, 'INVITATION_INVALID');
      expectProblem(await accept(tokenOf(first['resetUrl'])), 404, 'INVITATION_INVALID');
      expect((await accept(tokenOf(second['resetUrl']))).status).toBe(200);
    });

    it('dies with its member’s activity', async () => {
      const { member, invitationUrl } = await add();
      await settings('PATCH', `/members/${member.id}`, { active: false });
      await settings('PATCH', `/members/${member.id}`, { active: true });
      expectProblem(await accept(tokenOf(invitationUrl)), 404, 'INVITATION_INVALID');
    });

    it('is kept as a hash', async () => {
      const token = tokenOf((await add()).invitationUrl);
      expect(JSON.stringify(await gateway.rows('SELECT * FROM invitations'))).not.toContain(token);
    });

    it.each(['x', 'A'.repeat(43)])('is none for the token %s', async (token) => {
      expectProblem(await accept(token), 404, 'INVITATION_INVALID');
    });
  });

  describe('PATCH and DELETE /members/{id}', () => {
    it('change what is named, keep the rest, and count the versions', async () => {
      const { member } = await add({ canApprove: true });
      const path = `/members/${member.id}`;
      const changed = bodyOf(await settings('PATCH', path, { name: 'Alex' }));
      expect(changed['member']).toEqual({ ...member, name: 'Alex', version: 2 });
      const same = bodyOf(await settings('PATCH', path, {}));
      expect(same['member']).toEqual(changed['member']);
    });

    it('are in force on the very next request', async () => {
      const member = await gateway.member(workspace);
      const status = async (): Promise<number> =>
        (await gateway.settings(member, 'GET', '/members')).status;
      for (let i = 0; i < 10; i++) {
        await settings('PATCH', `/members/${member.id}`, { role: 'admin' });
        expect(await status()).toBe(200);
        await settings('PATCH', `/members/${member.id}`, { role: 'member' });
        expect(await status()).toBe(403);
      }
      await settings('DELETE', `/members/${member.id}`);
      expect(await status()).toBe(401);
    });

    it('refuse to change the address', async () => {
      const { member } = await add();
      const answer = await settings('PATCH', `/members/${member.id}`, { email: 'other@acme.test' });
      expectProblem(answer, 400, 'INVALID_REQUEST');
    });

    it('leave the keys of one who is gone without a member', async () => {
      const member = await gateway.member(workspace);
      const key = await gateway.key(workspace, { member });
      await settings('DELETE', `/members/${member.id}`);
      const rows = await gateway.rows('SELECT member_id FROM keys WHERE id = $1', [idOfKey(key)]);
      expect(rows).toEqual([{ member_id: null }]);
    });

    it.each([
      ['removed', 'DELETE', undefined],
      ['demoted', 'PATCH', { role: 'member' }],
      ['made inactive', 'PATCH', { active: false }],
    ])('keep the last administrator from being %s', async (_name, method, body) => {
      const idle = await gateway.member(workspace, 'admin');
      await settings('PATCH', `/members/${idle.id}`, { active: false });
      const answer = await settings(method, `/members/${workspace.admin.id}`, body);
      expectProblem(answer, 409, 'LAST_ADMINISTRATOR');
      expect((await settings('GET', '/members')).status).toBe(200);
      const other = await gateway.member(workspace, 'admin');
      expect(
        (await gateway.settings(other, method, `/members/${workspace.admin.id}`, body)).status,
      ).toBe(200);
    });

    it('keep the last administrator who can sign in: one who was only invited is none yet', async () => {
      const invited = { email: 'invited@acme.test', name: 'Robin', role: 'admin' };
      expect((await settings('POST', '/members', invited)).status).toBe(201);
      const { id } = workspace.admin;
      for (const [method, body] of [
        ['DELETE', undefined],
        ['PATCH', { role: 'member' }],
        ['PATCH', { active: false }],
      ] as const) {
        const answer = await settings(method, `/members/${id}`, body);
        expectProblem(answer, 409, 'LAST_ADMINISTRATOR');
      }
      expect((await settings('PATCH', `/members/${id}`, { name: 'Renamed' })).status).toBe(200);
    });

    it('never wait in a circle: links opened, teams written, members deactivated and removed at once', async () => {
      for (let round = 0; round < 10; round++) {
        const place = await gateway.workspace();
        const [a, b, c] = [
          await gateway.member(place, 'admin'),
          await gateway.member(place, 'admin'),
          await gateway.member(place),
        ];
        const ask = (method: string, path: string, body?: object): Promise<Answer> =>
          gateway.settings(place.admin, method, path, body);
        const memberIds = [c.id, b.id, a.id];
        const team = bodyOf(await ask('POST', '/teams', { name: 'All', memberIds }));
        const { id } = team['team'] as { id: string };
        const link = bodyOf(await ask('POST', `/members/${c.id}/reset-link`));
        const token = new URL(String(link['resetUrl'])).searchParams.get('token');
        const accept = { token, password: 'correct horse battery' };
        const answers = await Promise.all([
          gateway.send('/settings/api/invitations/accept', { method: 'POST', body: accept }),
          ask('PATCH', `/teams/${id}`, { memberIds: [b.id, c.id] }),
          ask('PATCH', `/members/${c.id}`, { active: false }),
          ask('DELETE', `/members/${a.id}`),
          ask('PATCH', `/members/${b.id}`, { role: 'member' }),
        ]);
        const statuses = answers.map(({ status }) => status);
        expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
      }
      // A wait for a lock that ended by its bound is a 503 too, on a machine that stood still.
      expect(gateway.log.filter((line) => line.includes('deadlock'))).toEqual([]);
    });

    it('keep one administrator of several who all remove each other at once', async () => {
      for (let round = 0; round < 5; round++) {
        const place = await gateway.workspace();
        const all = [
          place.admin,
          await gateway.member(place, 'admin'),
          await gateway.member(place, 'admin'),
        ];
        const answers = await Promise.all(
          all.map((one, i) => {
            const next = all[(i + 1) % all.length] ?? one;
            return gateway.settings(one, 'DELETE', `/members/${next.id}`);
          }),
        );
        const statuses = answers.map(({ status }) => status);
        // A member who was removed before asking is no longer authenticated (401).
        for (const status of statuses) expect([200, 401, 409]).toContain(status);
        const left = await gateway.rows(
          `SELECT FROM members WHERE tenant_id = $1 AND role = 'admin'`,
          [place.id],
        );
        expect(left).toHaveLength(3 - statuses.filter((status) => status === 200).length);
        expect(left.length).toBeGreaterThan(0);
      }
    });
  });

  it('leave an audit record for each change, with who made it', async () => {
    const { member } = await add();
    await settings('PATCH', `/members/${member.id}`, { name: 'Alex' });
    await settings('POST', `/members/${member.id}/reset-link`);
    await settings('DELETE', `/members/${member.id}`);
    const records = await gateway.audit(workspace);
    expect(records.map(({ action }) => action)).toEqual([
      ...['members.create', 'members.update', 'members.resetLink', 'members.remove'],
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ subjectId: member.id, actorId: workspace.admin.id });
    }
  });
});
