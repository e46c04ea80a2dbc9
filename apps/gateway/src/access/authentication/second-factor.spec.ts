import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { Gateway, type SomeMember, type SomeWorkspace, password } from '../../testing/gateway.js';
import { bodyOf, type Answer, cookieOf } from '../../testing/http.js';

describe('a second factor', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let member: SomeMember;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    workspace = await gateway.workspace();
    member = await withPassword(workspace);
  });

  const withPassword = async (of: SomeWorkspace): Promise<SomeMember> => {
    const made = await gateway.person(of);
    return { ...made, cookie: cookieOf(await signIn(made.email)) };
  };
  const signIn = (email = member.email): Promise<Answer> => gateway.signIn(email);
  const ask = (method: string, path: string, body?: object, cookie = member.cookie) =>
    gateway.settings({ ...member, cookie }, method, path, body);
  const said = (answer: Answer): unknown[] => [answer.status, bodyOf(answer)['error']];
  const ok = [200, undefined];
  const refused = [401, 'SECOND_FACTOR_REFUSED'];

  const codeOf = (secret: string, steps = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + steps * 30_000,
    });
  /** As if the last code had been used two steps ago. */
  const forget = (): Promise<object[]> =>
    gateway.rows('UPDATE second_factors SET totp_step = 0 WHERE member_id = $1', [member.id]);
  const enrol = async (): Promise<{ secret: string; recoveryCodes: string[] }> => {
    const { secret } = bodyOf(await ask('POST', '/me/totp')) as { secret: string };
    const confirmed = await ask('POST', '/me/totp/confirm', { code: codeOf(secret) });
    expect(said(confirmed)).toEqual(ok);
    await forget();
    return { secret, recoveryCodes: bodyOf(confirmed)['recoveryCodes'] as string[] };
  };
  const give = (proof: object, cookie?: string): Promise<Answer> =>
    ask('POST', '/session/second-factor', proof, cookie);

  it('counts once a code was confirmed, is kept encrypted, and gives ten recovery codes', async () => {
    const begun = bodyOf(await ask('POST', '/me/totp'));
    const secret = String(begun['secret']);
    expect(new URL(String(begun['url'])).searchParams.get('secret')).toBe(secret);
    expect(bodyOf(await signIn())).toHaveProperty('member');
    expect(said(await ask('POST', '/me/totp/confirm', { code: '12345' }))).toEqual(refused);
    const { recoveryCodes } = await enrol();
    expect(new Set(recoveryCodes).size).toBe(10);
    const kept = JSON.stringify(await gateway.rows('SELECT * FROM second_factors'));
    for (const clear of [secret, ...recoveryCodes]) expect(kept).not.toContain(clear);
    expect(said(await ask('POST', '/me/totp'))).toEqual([409, 'TOTP_EXISTS']);
    expect(bodyOf(await ask('GET', '/me/second-factor'))).toEqual({
      ...{ totp: true, recoveryCodes: 10, required: false },
    });
    const records = await gateway.audit(workspace);
    expect(records).toContainEqual(
      expect.objectContaining({ action: 'totp.confirm', subjectId: member.id }),
    );
  });

  it('is asked for at sign-in: the session can do nothing but finish, with another cookie', async () => {
    const { secret } = await enrol();
    const begun = await signIn();
    expect(bodyOf(begun)).toEqual({ secondFactor: { methods: ['totp', 'recovery_code'] } });
    const half = cookieOf(begun);
    for (const [method, path] of [
      ...[['GET', '/session'] as const, ['GET', '/me'] as const, ['POST', '/me/totp'] as const],
      ...[['GET', '/sessions'] as const, ['GET', '/stream'] as const],
    ])
      expect([path, ...said(await ask(method, path, undefined, half))]).toEqual([
        ...[path, 401, 'SECOND_FACTOR_REQUIRED'],
      ]);
    const given = await give({ code: codeOf(secret) }, half);
    expect(bodyOf(given)).toMatchObject({
      member: { id: member.id },
      tenant: { id: workspace.id },
    });
    expect(said(await ask('GET', '/session', undefined, cookieOf(given)))).toEqual(ok);
    expect(said(await ask('GET', '/session', undefined, half))).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('ends five minutes after a sign-in that was not finished, and signs out before', async () => {
    const { secret } = await enrol();
    const half = cookieOf(await signIn());
    await gateway.rows(`UPDATE sessions SET created_at = now() - interval '301 s' WHERE half_open`);
    expect(said(await give({ code: codeOf(secret) }, half))).toEqual([401, 'UNAUTHENTICATED']);
    expect(said(await ask('DELETE', '/session', undefined, cookieOf(await signIn())))).toEqual(ok);
  });

  it('takes each step once, and none before one that was used', async () => {
    const { secret } = await enrol();
    const [now, before] = [codeOf(secret), codeOf(secret, -1)];
    const tried = [];
    for (const code of [now, now, before, codeOf(secret, 3)])
      tried.push(said(await give({ code }, cookieOf(await signIn()))));
    expect(tried).toEqual([ok, refused, refused, refused]);
  });

  it('takes a recovery code once, written as it may be, and the new ones after a renewal', async () => {
    const { recoveryCodes } = await enrol();
    const [first = '', second = ''] = recoveryCodes;
    const written = first.toUpperCase().replaceAll('-', ' ');
    const half = async (recoveryCode: string) =>
      said(await give({ recoveryCode }, cookieOf(await signIn())));
    expect([await half(written), await half(first)]).toEqual([ok, refused]);
    const renewed = bodyOf(await ask('POST', '/me/recovery-codes'))['recoveryCodes'] as string[];
    expect([await half(second), await half(renewed[0] ?? '')]).toEqual([refused, ok]);
  });

  it('is bounded: after ten wrong proofs in an hour not even a right one is judged', async () => {
    const { secret, recoveryCodes } = await enrol();
    const half = cookieOf(await signIn());
    for (let n = 0; n < 10; n++) expect(said(await give({ code: '00000' }, half))).toEqual(refused);
    const answer = await give({ code: codeOf(secret) }, half);
    expect(said(answer)).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000);
    await gateway.restart();
    expect(await gateway.audit(workspace)).toContainEqual(
      expect.objectContaining({ action: 'member.secondFactorRefused', subjectId: member.id }),
    );
    expect(said(await give({ recoveryCode: recoveryCodes[0] }, half))).toEqual(ok);
  });

  it.each([[{}], [{ code: '123456', password }]])('is one proof: not %j', async (proof) => {
    expect(said(await give(proof))).toEqual([400, 'INVALID_REQUEST']);
  });

  it('changes only after a proof within 15 minutes: the second factor, or else the password', async () => {
    const age = () => gateway.rows(`UPDATE sessions SET proved_at = now() - interval '16 minutes'`);
    const stepUp = [403, 'STEP_UP_REQUIRED'];
    await age();
    expect(said(await ask('POST', '/me/totp'))).toEqual(stepUp);
    expect(said(await give({ password: `not ${password}` }))).toEqual(refused);
    const proved = await give({ password });
    member = { ...member, cookie: cookieOf(proved) };
    const { secret } = await enrol();
    await age();
    expect(said(await ask('DELETE', '/me/totp'))).toEqual(stepUp);
    expect(said(await give({ password }))).toEqual(refused);
    member = { ...member, cookie: cookieOf(await give({ code: codeOf(secret) })) };
    expect(said(await ask('DELETE', '/me/totp'))).toEqual(ok);
    expect(said(await ask('DELETE', '/me/totp'))).toEqual([404, 'TOTP_NOT_FOUND']);
    expect(said(await ask('POST', '/me/recovery-codes'))).toEqual([409, 'NO_SECOND_FACTOR']);
    expect(bodyOf(await signIn())).toHaveProperty('member');
  });

  it('is required of all where administrators say so: a member without one can only enrol', async () => {
    const other = await withPassword(await gateway.workspace());
    const required = { requireSecondFactor: true };
    expect(said(await ask('PUT', '/sign-in', required))).toEqual([403, 'ADMIN_REQUIRED']);
    expect(said(await gateway.settings(workspace.admin, 'PUT', '/sign-in', required))).toEqual(ok);
    expect(said(await ask('GET', '/me'))).toEqual([403, 'ENROLMENT_REQUIRED']);
    expect(said(await gateway.settings(other, 'GET', '/session'))).toEqual(ok);
    expect(bodyOf(await signIn())).toMatchObject({
      ...{ member: { id: member.id }, secondFactor: { methods: [] } },
    });
    expect(said(await ask('GET', '/session'))).toEqual(ok);
    await enrol();
    expect(said(await ask('GET', '/sessions'))).toEqual(ok);
  });

  it('that is lost is removed by an administrator of the workspace, and the sessions end', async () => {
    await enrol();
    const { admin } = await gateway.workspace();
    const path = `/members/${member.id}/second-factor`;
    expect(said(await gateway.settings(admin, 'DELETE', path))).toEqual([404, 'MEMBER_NOT_FOUND']);
    expect(said(await gateway.settings(workspace.admin, 'DELETE', path))).toEqual(ok);
    expect(said(await ask('GET', '/session'))).toEqual([401, 'UNAUTHENTICATED']);
    expect(bodyOf(await signIn())).toHaveProperty('member');
  });

  it('tells its member by mail of each change, whatever mail the member has switched off', async () => {
    gateway.mail.calls.length = 0;
    gateway.mail.answer = () => ({ body: { ok: true } });
    await ask('PATCH', '/me', { signInNotices: false });
    const own = (method: string, path: string) => ask(method, `/me${path}`);
    await enrol();
    expect(said(await own('POST', '/recovery-codes'))).toEqual(ok);
    expect(said(await own('DELETE', '/totp'))).toEqual(ok);
    const path = `/members/${member.id}/second-factor`;
    expect(said(await gateway.settings(workspace.admin, 'DELETE', path))).toEqual(ok);
    while ((await gateway.rows('SELECT FROM notices')).length > 0) await sleep(50);
    const texts = gateway.mail.calls
      .map(({ input }) => input as { to?: string; text: string })
      .flatMap(({ to, text }) => (to === member.email ? [text] : []));
    expect(
      texts.map((text) => /\n(A code|New|The code|An admin).* account/.exec(text)?.[1]),
    ).toEqual(expect.arrayContaining(['A code', 'New', 'The code', 'An admin']));
    expect(texts).toHaveLength(4);
  });

  it('is asked for after a reset link too', async () => {
    await enrol();
    const made = await gateway.settings(
      ...([workspace.admin, 'POST', `/members/${member.id}/reset-link`] as const),
    );
    const token = new URL(String(bodyOf(made)['resetUrl'])).searchParams.get('token');
    const body = { token, password: `new ${password}` };
    const accepted = await gateway.send('/settings/api/invitations/accept', {
      ...{ method: 'POST', body },
    });
    expect(bodyOf(accepted)).toHaveProperty('secondFactor');
  });
});
