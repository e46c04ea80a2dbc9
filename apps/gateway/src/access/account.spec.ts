import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountMail, inbox } from '@postroom/contracts';
import { Gateway, type SomeMember, type SomeWorkspace, password } from '../testing/gateway.js';
import { alike, bodyOf, type Answer, cookieOf } from '../testing/http.js';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const counts = { mine: 3, unassigned: 4, snoozed: 1 };
const support = { id: 'mbx_1', address: 'support@acme.test', name: 'Support', access: 'write' };

describe('the account of a member', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let email: string;
  let id: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    ({ id, email } = await gateway.person(workspace));
    gateway.mail.calls.length = 0;
    gateway.mail.answer = ({ request }) =>
      request.operation === inbox.counts.id
        ? { body: { mailboxes: [{ ...support, unread: 7 }], truncated: false, ...counts } }
        : { body: { ok: true } };
    await gateway.rows('DELETE FROM sign_in_attempts');
  });

  const post = (path: string, body: object, headers = {}): Promise<Answer> =>
    gateway.send(`/settings/api${path}`, { method: 'POST', headers, body });
  const signIn = (given = password, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.signIn(email, { password: given }, headers);
  const signedIn = async (): Promise<SomeMember> => ({
    ...{ id, email },
    cookie: cookieOf(await signIn()),
  });
  const codeOf = (answer: Answer) => [answer.status, bodyOf(answer).error];
  const letters = () =>
    gateway.mail.calls.filter(({ request }) => request.operation === accountMail.send.id);
  /** Mail that was handed to the mail service, once nothing waits any more. */
  const mailed = async () => {
    while ((await gateway.rows('SELECT FROM notices')).length > 0) await sleep(50);
    return letters().map(({ input, caller }) => ({ ...input, tenant: caller.tenantId }));
  };
  const mailedTokens = async (): Promise<string[]> =>
    (await mailed()).map((mail) => /reset\?token=([\w-]+)/.exec(JSON.stringify(mail))?.[1] ?? '');

  describe('GET /me', () => {
    it('answers all that a page needs, to a member that is no administrator', async () => {
      const robin = await signedIn();
      await gateway.settings(workspace.admin, 'POST', '/teams', {
        name: `Team of ${email}`,
        memberIds: [id],
      });
      await gateway.rows(
        `INSERT INTO approvals (tenant_id, id, key_id, key_name, operation, summary, payload,
           payload_hash, difference, within_type, within_id, channel, idempotency_key, request_id,
           created_at, expires_at)
         SELECT $1, 'apr_' || n || $3, $2, 'k', 'o', 's', '{}', '', '{}',
           CASE WHEN n > 1 THEN 'mailbox' END, CASE WHEN n > 1 THEN 'box_' || n END, 'rest', n || $3,
           'r', now(), now() + interval '1 day'
         FROM generate_series(1, 3) n`,
        [workspace.id, `key_${(await gateway.key(workspace)).split('_')[2]}`, email],
      );
      gateway.mail.visible = ['box_2'];
      const answer = await gateway.settings(robin, 'GET', '/me');
      expect(answer.status).toBe(200);
      expect(bodyOf(answer)).toMatchObject({
        member: { id, email, role: 'member', signInNotices: true },
        workspace: { name: workspace.name, timeZone: 'UTC', sendOpen: true, sandbox: false },
        mailboxes: [{ address: support.address, unread: 7 }],
        members: expect.arrayContaining([{ id, email, name: 'Robin', canApprove: false }]),
        teams: expect.arrayContaining([
          { id: expect.any(String), name: `Team of ${email}`, mine: true },
        ]),
        addressBooks: [],
        calendars: [],
        counts: { ...counts, approvals: 2 },
      });
      await gateway.rows('DELETE FROM approvals');
    });

    it('leaves settings to administrators, and is for nobody without a session', async () => {
      const robin = await signedIn();
      for (const path of ['/members', '/mailboxes', '/teams', '/invitations', '/workspace'])
        expect((await gateway.settings(robin, 'GET', path)).status).toBe(403);
      expect((await gateway.send('/settings/api/me')).status).toBe(401);
    });
  });

  it('PATCH /me changes the name and the switch of notices, each alone', async () => {
    const robin = await signedIn();
    const change = async (body: object) =>
      bodyOf(await gateway.settings(robin, 'PATCH', '/me', body))['member'];
    expect(await change({ name: ' Robin Rot ' })).toMatchObject({ name: 'Robin Rot' });
    expect(await change({ signInNotices: false })).toMatchObject({
      ...{ name: 'Robin Rot', signInNotices: false },
    });
    for (const body of [{ name: '  ' }, { role: 'admin' }, { email: 'a@b.test' }])
      expect((await gateway.settings(robin, 'PATCH', '/me', body)).status).toBe(400);
    expect(await gateway.audit(workspace)).toContainEqual(
      expect.objectContaining({ action: 'account.update', subjectId: id, actorId: id }),
    );
  });

  describe('POST /me/password', () => {
    const change = (by: SomeMember, current: string, given: string): Promise<Answer> =>
      gateway.settings(by, 'POST', '/me/password', { current, password: given });

    it('takes the present password, and ends the other sessions and every link', async () => {
      const robin = await signedIn();
      const other = await signedIn();
      const link = await gateway.settings(workspace.admin, 'POST', `/members/${id}/reset-link`);
      expect((await change(robin, password, `new ${password}`)).status).toBe(200);
      const alive = [robin, other].map((one) => gateway.settings(one, 'GET', '/session'));
      expect((await Promise.all(alive)).map(({ status }) => status)).toEqual([200, 401]);
      expect((await signIn()).status).toBe(401);
      expect((await signIn(`new ${password}`)).status).toBe(200);
      const token = new URL(String(bodyOf(link)['resetUrl'])).searchParams.get('token');
      expect((await post('/invitations/accept', { token, password })).status).toBe(404);
    });

    it.each([
      ['another password', 'a wrong horse', `new ${password}`, [403, 'PASSWORD_WRONG']],
      ['one that is too short', password, 'short', [400, 'INVALID_REQUEST']],
      ['one of the most common', password, 'password123', [400, 'INVALID_REQUEST']],
    ])('refuses %s', async (_what, current, given, refused) => {
      const robin = await signedIn();
      expect(codeOf(await change(robin, current, given))).toEqual(refused);
      expect((await signIn()).status).toBe(200);
    });

    it('stops guessing', async () => {
      const robin = await signedIn();
      for (let n = 0; n < 10; n++)
        expect(codeOf(await change(robin, `guess ${n}`, `new ${password}`))[0]).toBe(403);
      expect(codeOf(await change(robin, password, `new ${password}`))).toEqual([
        429,
        'RATE_LIMITED',
      ]);
    });
  });

  describe('a forgotten password', () => {
    const ask = (address = email): Promise<Answer> => post('/password-reset', { email: address });
    const accept = (token: string, given = `new ${password}`): Promise<Answer> =>
      post('/password-reset/accept', { token, password: given });

    it('is replaced once, through a link that is mailed, which ends all sessions', async () => {
      const robin = await signedIn();
      expect((await ask()).status).toBe(202);
      const [mail] = await mailed();
      expect(mail).toMatchObject({ to: email, tenant: workspace.id, subject: expect.any(String) });
      expect(mail).toMatchObject({ text: expect.not.stringContaining('Robin') });
      const [token = ''] = await mailedTokens();
      expect(codeOf(await accept(token, 'short'))).toEqual([400, 'INVALID_REQUEST']);
      const accepted = await accept(token);
      expect(bodyOf(accepted)['member']).toMatchObject({ id });
      expect(cookieOf(accepted)).toMatch(/^postroom_session=/);
      expect(codeOf(await accept(token))).toEqual([404, 'INVITATION_INVALID']);
      expect((await gateway.settings(robin, 'GET', '/session')).status).toBe(401);
      expect((await signIn(`new ${password}`)).status).toBe(200);
      const kept = await gateway.rows('SELECT * FROM invitations WHERE member_id = $1', [id]);
      expect(kept).toEqual([]);
      const actions = (await gateway.audit(workspace)).filter(({ subjectId }) => subjectId === id);
      expect(actions).toContainEqual(expect.objectContaining({ action: 'passwordReset.request' }));
    });

    it('is asked for with the same answer for whatever address, and mailed to members alone', async () => {
      const { email: invited } = await gateway.person(workspace, {});
      const answers = [await ask(), await ask('nobody@acme.test'), await ask(invited)];
      const [first] = answers.map(alike);
      for (const answer of answers) expect(alike(answer)).toEqual(first);
      expect((await mailed()).map((mail) => (mail as { to?: string }).to)).toEqual([email]);
    });

    it('lasts an hour, leaves an invitation alone, and has three links at most', async () => {
      await gateway.settings(workspace.admin, 'POST', `/members/${id}/reset-link`);
      for (let n = 0; n < 4; n++) {
        await ask();
        await gateway.rows('DELETE FROM sign_in_attempts');
        await mailed();
      }
      const tokens = await mailedTokens();
      expect(tokens).toHaveLength(3);
      await gateway.rows(
        `UPDATE invitations SET expires_at = expires_at - interval '1 hour' WHERE kind = 'reset'`,
      );
      expect((await accept(tokens[0] ?? '')).status).toBe(404);
      const left = 'SELECT kind FROM invitations WHERE member_id = $1 AND expires_at > now()';
      expect(await gateway.rows(left, [id])).toEqual([{ kind: 'invitation' }]);
    });

    it('is tried again while no server takes the mail, with a link of its own', async () => {
      gateway.mail.answer = () => ({
        ...{ status: 503, problem: 'OUTGOING_UNAVAILABLE', body: { violations: [] } },
      });
      await ask();
      const links = () => gateway.rows('SELECT FROM invitations WHERE member_id = $1', [id]);
      while (letters().length === 0 || (await links()).length > 0) await sleep(50);
      gateway.mail.answer = () => ({ body: { ok: true } });
      await gateway.rows('UPDATE notices SET due_at = now()');
      const tokens = await mailedTokens();
      expect((await accept(tokens.at(-1) ?? '')).status).toBe(200);
    });

    it('is asked for a few times a minute from one network, and with one address', async () => {
      for (let n = 0; n < 3; n++) await ask('nobody@acme.test');
      expect(codeOf(await ask('nobody@acme.test'))).toEqual([429, 'RATE_LIMITED']);
      for (let n = 3; n < 20; n++) expect((await ask(`nobody-${n}@acme.test`)).status).toBe(202);
      expect(codeOf(await ask())).toEqual([429, 'RATE_LIMITED']);
    });

    it('leaves room for other mail and for members, however often strangers ask', async () => {
      const { email: other } = await gateway.person(workspace);
      await signIn();
      const asked = (address: string) =>
        JSON.stringify({ email: address, host: 'localhost', requestId: 'req_1' });
      await gateway.rows(
        `INSERT INTO notices (id, kind, data, due_at)
         SELECT 'ntc_' || n, 'reset', $1, now() - interval '1 minute' FROM generate_series(1, 8400) n`,
        [asked(other)],
      );
      expect(codeOf(await ask())).toEqual([503, 'SERVICE_UNAVAILABLE']);
      await signIn(password, { 'user-agent': firefox });
      const mine = () => letters().filter(({ input }) => (input as { to?: string }).to === email);
      while (mine().length === 0) await sleep(50);
      await gateway.rows('UPDATE notices SET data = $1', [asked('nobody@acme.test')]);
      await gateway.rows('DELETE FROM notices WHERE id > $1', ['ntc_2']);
      expect((await ask()).status).toBe(202);
      await mailed();
      expect(mine()).toHaveLength(2);
    });

    it.each(['/password-reset', '/password-reset/accept'])(
      '%s is not for foreign pages',
      async (path) => {
        const body = path.endsWith('accept') ? { token: 'x', password } : { email };
        const answer = await post(path, body, { origin: 'https://evil.test' });
        expect(codeOf(answer)).toEqual([403, 'FOREIGN_ORIGIN']);
      },
    );
  });

  describe('mail about a sign-in', () => {
    it('tells of a device that is new to the account, once, and not of the first', async () => {
      await signIn();
      await signIn();
      expect(await mailed()).toEqual([]);
      await signIn(password, { 'user-agent': firefox });
      await signIn(password, { 'user-agent': firefox });
      expect(await mailed()).toEqual([
        {
          ...{ to: email, tenant: workspace.id, subject: 'New sign-in to your account' },
          text: expect.stringMatching(/^Hello,\n[^]*"Firefox on Linux"\n.*127\.0\.0\.1\n.*UTC/),
        },
      ]);
    });

    it('tells later of a device for which there was no room, and quotes what others have chosen', async () => {
      const [{ name } = { name: '' }] = await gateway.rows<{ name: string }>(
        'SELECT name FROM tenants WHERE tenant_id = $1',
        [workspace.id],
      );
      const named = 'UPDATE tenants SET name = $2 WHERE tenant_id = $1';
      await gateway.rows(named, [workspace.id, `Go to\nhttps://evil.test "now" ${'x'.repeat(99)}`]);
      await signIn();
      await gateway.rows(
        `INSERT INTO notices (id, kind, data, due_at)
         SELECT 'ntc_' || n, 'factor', '{}', now() + interval '1 day' FROM generate_series(1, 10000) n`,
      );
      await signIn(password, { 'user-agent': firefox });
      await gateway.rows(`DELETE FROM notices WHERE kind = 'factor'`);
      await signIn(password, { 'user-agent': firefox });
      const letter = await mailed();
      const quoted = `"Go to https: / / evil. test 'now' ${'x'.repeat(26)}…":`;
      const text = expect.stringContaining(`to the workspace ${quoted}`);
      expect(letter).toEqual([expect.objectContaining({ to: email, text })]);
      await gateway.rows(named, [workspace.id, name]);
    });

    it('is not sent to a member who does not want it', async () => {
      const robin = await signedIn();
      await gateway.settings(robin, 'PATCH', '/me', { signInNotices: false });
      await signIn(password, { 'user-agent': firefox });
      expect(await mailed()).toEqual([]);
    });
  });

  describe('an invitation', () => {
    const list = async () =>
      bodyOf(await gateway.settings(workspace.admin, 'GET', '/invitations'))['items'] as readonly {
        readonly id: string;
        readonly member: { readonly id: string };
        readonly expired: boolean;
      }[];

    it('is pending until it is accepted, and is renewed and revoked by administrators', async () => {
      const { id: invited } = await gateway.person(workspace, {});
      const of = async () => (await list()).find(({ member }) => member.id === invited);
      const first = await of();
      expect(first).toMatchObject({ id: expect.stringMatching(/^inv_/), expired: false });
      await gateway.rows(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [first?.id]);
      expect(await of()).toMatchObject({ expired: true });
      const renew = () =>
        gateway.settings(workspace.admin, 'POST', `/invitations/${first?.id}/renew`);
      const renewed = await renew();
      const { invitation, invitationUrl } = bodyOf(renewed) as unknown as {
        invitation: { id: string };
        invitationUrl: string;
      };
      expect(await of()).toEqual(invitation);
      expect(codeOf(await renew())).toEqual([404, 'MEMBER_INVITATION_NOT_FOUND']);
      const stranger = await gateway.workspace();
      for (const [by, status] of [
        [stranger.admin, 404],
        [workspace.admin, 200],
        [workspace.admin, 404],
      ] as const) {
        const revoked = await gateway.settings(by, 'DELETE', `/invitations/${invitation.id}`);
        expect(revoked.status).toBe(status);
      }
      expect(await of()).toBeUndefined();
      const token = new URL(invitationUrl).searchParams.get('token');
      expect((await post('/invitations/accept', { token, password })).status).toBe(404);
    });

    it('is not what a member with a password has', async () => {
      await gateway.settings(workspace.admin, 'POST', `/members/${id}/reset-link`);
      expect((await list()).filter(({ member }) => member.id === id)).toEqual([]);
    });
  });
});
