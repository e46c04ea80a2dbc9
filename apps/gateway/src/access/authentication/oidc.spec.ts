import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountMail } from '@postroom/contracts';
import { freePort } from '@postroom/testing';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import Provider from 'oidc-provider';
import { Gateway, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, send, type Answer } from '../../testing/http.js';

const client = { clientId: 'postroom', clientSecret: 'a secret of the client' };
const password = 'correct horse battery staple';

/** A provider on loopback that signs the same person in whoever asks, unless a spec forges its tokens. */
class SomeProvider {
  email = '';
  verified = true;
  /** False of one that does not say that it names itself in its answers. */
  namesItself = true;
  /** Answers an ID token of its own making in place of the provider's. */
  forge: ((nonce: string) => Promise<string>) | null = null;
  private nonce = '';
  private callback: ReturnType<Provider['callback']> = () => Promise.resolve();

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<SomeProvider> {
    const port = await freePort();
    const server = createServer((request, response) => void made.answer(request, response));
    const made = new SomeProvider(`http://127.0.0.1:${port}`, server);
    made.key = await newKey();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return made;
  }

  /** From now on it signs with that key alone. */
  async useKey(key: JWK, redirectUri: string): Promise<void> {
    this.key = key;
    const provider = new Provider(this.issuer, {
      clients: [
        {
          ...{ client_id: client.clientId, client_secret: client.clientSecret },
          redirect_uris: [redirectUri, redirectUri.slice(0, redirectUri.lastIndexOf('/'))],
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ['a key of cookies'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, email: this.email, email_verified: this.verified }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const { client: asker, session } = oidc;
        const grant = new oidc.provider.Grant({
          ...(asker && { clientId: asker.clientId }),
          ...(session?.accountId && { accountId: session.accountId }),
        });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    });
    this.callback = provider.callback();
    this.interact = (request, response) =>
      provider.interactionFinished(request, response, { login: { accountId: 'robin' } });
  }

  key: JWK = {};
  private interact: (request: IncomingMessage, response: ServerResponse) => Promise<void> = () =>
    Promise.resolve();

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    if (url.pathname === '/auth') this.nonce = url.searchParams.get('nonce') ?? this.nonce;
    if (url.pathname.startsWith('/interaction/')) return this.interact(request, response);
    if (url.pathname.startsWith('/.well-known/') && !this.namesItself) {
      response.setHeader('content-type', 'application/json');
      const [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint] = (
        ['auth', 'token', 'jwks', 'me'] as const
      ).map((path) => `${this.issuer}/${path}`);
      const endpoints = { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint };
      response.end(JSON.stringify({ issuer: this.issuer, ...endpoints }));
      return;
    }
    if (url.pathname !== '/token' || !this.forge) return this.callback(request, response);
    const id_token = await this.forge(this.nonce);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'a token', token_type: 'Bearer', id_token }));
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = String(Math.random());
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid };
}

/** The cookies of one browser. */
class Browser {
  readonly cookies = new Map<string, string>();

  /** Follows redirects until one leads to what `until` begins with, or none is answered. */
  async open(url: string, until: string): Promise<{ url: string; answer: Answer }> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await send(url, { headers: cookie ? { cookie } : {} });
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [name = '', ...value] = (set.split(';')[0] ?? '').split('=');
      this.cookies.set(name, value.join('='));
    }
    const { location } = answer.headers;
    if (location === undefined) return { url, answer };
    const next = new URL(location, url).href;
    return next.startsWith(until) ? { url: next, answer } : this.open(next, until);
  }
}

describe('OpenID Connect', () => {
  let gateway: Gateway;
  let provider: SomeProvider;
  let workspace: SomeWorkspace;
  let member: SomeMember;
  let callback: string;

  beforeAll(async () => {
    // The provider warns that nobody should run it so.
    for (const level of ['info', 'warn'] as const)
      jest.spyOn(console, level).mockReturnValue(undefined);
    gateway = await Gateway.start({ OIDC_ALLOWED_CIDRS: '127.0.0.1/32' });
    provider = await SomeProvider.start();
  });
  afterAll(async () => {
    await provider.close();
    await gateway.close();
  });

  beforeEach(async () => {
    workspace = await gateway.workspace();
    member = await gateway.member(workspace);
    callback = gateway.url(`/settings/api/oidc/callback/${workspace.id}`);
    await provider.useKey(provider.key, callback);
    const shown = { email: member.email.toUpperCase(), verified: true, forge: null };
    Object.assign(provider, { ...shown, namesItself: true });
    expect((await set()).status).toBe(200);
  });

  const set = (changes: object = {}, admin = workspace.admin): Promise<Answer> =>
    gateway.settings(admin, 'PUT', '/sign-in', {
      ...{ issuer: provider.issuer, ...client, domains: [], ...changes },
    });
  const start = (query = `workspace=${workspace.name}`): string =>
    gateway.url(`/settings/api/oidc/start?${query}`);
  /** From the start to the provider's answer, which the browser has yet to bring. */
  const begin = async (browser: Browser, url = start()): Promise<string> =>
    (await browser.open(url, gateway.url('/settings/api/oidc/callback'))).url;
  const signIn = async (url?: string): Promise<Answer> => {
    const browser = new Browser();
    return (await browser.open(await begin(browser, url), gateway.url('/'))).answer;
  };
  const who = async (answer: Answer): Promise<unknown> => {
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const { member: found } = bodyOf(
      await gateway.send('/settings/api/session', { headers: { cookie } }),
    ) as { member?: { id: string } };
    return found?.id;
  };

  it('signs in the member whose address the provider has verified, audited, and never another', async () => {
    const other = await gateway.workspace();
    await gateway.rows(
      `INSERT INTO members (id, tenant_id, email, name, role, can_approve, created_at)
       SELECT replace(id, 'mbr_', 'mbr_7'), $1, email, name, 'admin', true, now() FROM members
       WHERE id = $2`,
      [other.id, member.id],
    );
    const answer = await signIn();
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    expect(await who(answer)).toBe(member.id);
    expect(await gateway.audit(workspace)).toContainEqual(
      expect.objectContaining({ action: 'oidcSessions.begin', actorId: member.id }),
    );
    expect(await gateway.audit(other)).toEqual([]);
  });

  it('keeps the secret of the client sealed and never shows it', async () => {
    const shown = await gateway.settings(workspace.admin, 'GET', '/sign-in');
    expect(bodyOf(shown)).toEqual({
      ...{ issuer: provider.issuer, clientId: client.clientId, domains: [] },
      ...{ passwords: true, requireSecondFactor: false, redirectUri: callback },
    });
    const kept = JSON.stringify(await gateway.rows('SELECT * FROM sign_in_settings'));
    expect(kept).not.toContain(client.clientSecret);
    expect((await set({ clientSecret: undefined })).status).toBe(200);
    expect(await who(await signIn())).toBe(member.id);
  });

  it.each([
    ['no address that was verified', { verified: false }, 403],
    ['the address of nobody here', { email: 'nobody@elsewhere.test' }, 403],
  ])('refuses %s', async (_what, changes, status) => {
    Object.assign(provider, changes);
    const answer = await signIn();
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
    expect(answer.text).toContain('has not confirmed an email address');
  });

  it('refuses an inactive member, and a domain that the workspace has not named', async () => {
    await set({ domains: ['example.com'] });
    expect((await signIn()).status).toBe(403);
    await set({ domains: ['postroom.test'] });
    await gateway.rows('UPDATE members SET active = false WHERE id = $1', [member.id]);
    expect((await signIn()).status).toBe(403);
  });

  it('takes an answer once, and only in the browser that has begun', async () => {
    const browser = new Browser();
    const answer = await begin(browser);
    const elsewhere = await new Browser().open(answer, gateway.url('/'));
    expect(elsewhere.answer.status).toBe(400);
    const theirs = new Browser();
    await begin(theirs);
    expect((await theirs.open(answer, gateway.url('/'))).answer.status).toBe(403);
    const cookies = new Map(browser.cookies);
    expect((await browser.open(answer, gateway.url('/'))).answer.status).toBe(303);
    const again = new Browser();
    for (const pair of cookies) again.cookies.set(...pair);
    expect((await again.open(answer, gateway.url('/'))).answer.status).toBe(400);
  });

  it.each([
    ['another workspace’s, of one that does not name itself', false, 400],
    ['no workspace’s, of one that does not name itself', false, 400],
    ['its own, of one that names itself', true, 400],
    ['the common one, with the name of another provider', true, 403],
  ])('takes no answer at an address that was not begun: %s', async (what, namesItself, status) => {
    provider.namesItself = namesItself;
    const other = await gateway.workspace();
    expect((await set({}, other.admin)).status).toBe(200);
    expect((await signIn()).status).toBe(303);
    const browser = new Browser();
    const answer = new URL(await begin(browser));
    const common = '/settings/api/oidc/callback';
    expect(answer.pathname).toBe(namesItself ? common : `${common}/${workspace.id}`);
    if (status === 403) answer.searchParams.set('iss', 'https://elsewhere.test');
    else if (namesItself) answer.pathname = `${common}/${workspace.id}`;
    else answer.pathname = what.startsWith('another') ? `${common}/${other.id}` : common;
    const refused = await browser.open(answer.href, gateway.url('/'));
    expect([refused.answer.status, refused.answer.headers['set-cookie']]).toEqual([
      status,
      undefined,
    ]);
  });

  it('is found by its id though another workspace is named by it', async () => {
    const other = await gateway.workspace(workspace.id);
    expect((await set({}, other.admin)).status).toBe(200);
    expect(await who(await signIn(start(`workspace=${workspace.id}`)))).toBe(member.id);
  });

  const seconds = (): number => Math.floor(Date.now() / 1000);
  const claims = (nonce: string): JWTPayload & { iat: number } => ({
    ...{ iss: provider.issuer, aud: client.clientId, sub: 'robin', nonce },
    ...{ iat: seconds(), exp: seconds() + 60, email: member.email, email_verified: true },
  });
  const signed = async (given: JWTPayload, key = provider.key): Promise<string> =>
    new SignJWT(given)
      .setProtectedHeader({ alg: 'RS256', kid: provider.key.kid ?? '' })
      .sign(await importJWK(key, 'RS256'));
  /** Claims of another making; `exp` in seconds from now. */
  interface Forged extends JWTPayload {
    readonly key?: string;
  }
  it.each<[string, number, Forged]>([
    ['as it should be', 303, {}],
    ['that has expired within the skew of clocks', 303, { exp: -50 }],
    ['that has expired', 403, { exp: -70 }],
    ['of another issuer', 403, { iss: 'https://elsewhere.test' }],
    ['for another client', 403, { aud: 'another' }],
    ['with another nonce', 403, { nonce: 'another' }],
    ['with an address verified as a text', 403, { email_verified: 'true' }],
    ['signed by another key', 403, { key: 'another' }],
  ])('judges a token %s: %d', async (_what, status, { exp, key: other, ...changes }) => {
    provider.forge = async (nonce) => {
      const given = { ...claims(nonce), ...(exp && { exp: seconds() + exp }), ...changes };
      return signed(given, other ? await newKey() : provider.key);
    };
    expect((await signIn()).status).toBe(status);
  });

  it.each<[string, number, JWTPayload, object?]>([
    ['a fresh sign-in there', 200, { auth_time: seconds() }],
    ['one of the future', 200, { auth_time: seconds() + 1e12 }],
    ['an old one', 403, { auth_time: seconds() - 901 }],
    ['one of an unknown time', 403, {}],
    ['one of an unknown time of who has to enrol', 200, {}, { requireSecondFactor: true }],
  ])('takes %s for a proof: %d', async (_what, status, changes, settings = {}) => {
    await set(settings);
    provider.forge = (nonce) => signed({ ...claims(nonce), ...changes });
    const begun = new URL((await new Browser().open(start(), provider.issuer)).url);
    expect(begun.searchParams.get('max_age')).toBe('900');
    const cookie = (await signIn()).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const answer = await gateway.settings({ ...member, cookie }, 'POST', '/me/totp');
    expect(answer.status).toBe(status);
  });

  it('goes on after the provider has changed its keys', async () => {
    expect(await who(await signIn())).toBe(member.id);
    await provider.useKey(await newKey(), callback);
    expect(await who(await signIn())).toBe(member.id);
  });

  it('goes on where a sign-in with a password does: further, to enrolment, or to the second step', async () => {
    const onward = async (next = '/inbox?a=1') => {
      const answer = await signIn(
        start(`workspace=${workspace.name}&next=${encodeURIComponent(next)}`),
      );
      return [answer.headers.location, (await who(answer)) !== undefined];
    };
    expect(await onward()).toEqual(['/inbox?a=1', true]);
    expect(await onward('https://evil.test/')).toEqual(['/', true]);
    await set({ requireSecondFactor: true });
    expect(await onward()).toEqual(['/enrolment?next=%2Finbox%3Fa%3D1', true]);
    await gateway.rows(
      `INSERT INTO second_factors (member_id, tenant_id, totp_confirmed) VALUES ($1, $2, true)`,
      [member.id, workspace.id],
    );
    expect(await onward()).toEqual(['/second-factor?next=%2Finbox%3Fa%3D1', false]);
  });

  it('audits a refusal in the name of a member, once a minute', async () => {
    for (const changes of [
      { verified: false },
      { verified: false },
      { email: 'nobody@elsewhere.test' },
    ]) {
      Object.assign(provider, changes);
      expect((await signIn()).status).toBe(403);
    }
    await gateway.restart();
    const refused = (await gateway.audit(workspace)).filter(
      ({ action }) => action === 'member.signInRefused',
    );
    expect(refused).toEqual([
      expect.objectContaining({ actorId: member.id, subjectId: member.id }),
    ]);
  });

  const hrefIn = ({ text }: Answer): string =>
    /href="(\/settings\/api\/oidc\/start[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const form = (path: string, given: Record<string, string>, headers = {}): Promise<Answer> =>
    gateway.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(given).toString(),
    });

  it('is offered by the sign-in page: to a workspace, to a domain, and after a password was refused', async () => {
    const domain = `${workspace.id.toLowerCase().replace('_', '-')}.test`;
    await set({ domains: [domain] });
    gateway.mail.domainOwners.set(domain, workspace.id);
    const email = `robin@${domain}`;
    for (const page of [
      await gateway.send(`/sign-in?next=%2Finbox&workspace=${workspace.name}`),
      await gateway.send(`/sign-in?next=%2Finbox&email=${email}`),
      await form('/sign-in?next=%2Finbox', { email, password }),
    ]) {
      const { answer } = await new Browser().open(gateway.url(hrefIn(page)), provider.issuer);
      expect(answer.headers.location).toContain(provider.issuer);
      expect(hrefIn(page)).toContain('next=%2Finbox');
    }
    const asked = await gateway.send('/sign-in?next=%2Finbox');
    expect([hrefIn(asked), asked.text]).toEqual(['', expect.stringContaining('<details')]);
    expect(asked.text).toContain('<input type="hidden" name="next" value="/inbox" />');
    const unknown = await gateway.send('/sign-in?email=robin@elsewhere.test');
    expect([hrefIn(unknown), unknown.text]).toEqual(['', expect.stringContaining('No single')]);
  });

  it('signs out at the provider too, where it offers that', async () => {
    const cookie = (await signIn()).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const ended = bodyOf(await gateway.settings({ ...member, cookie }, 'DELETE', '/session'));
    const url = new URL(String(ended['signOutUrl']));
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('client_id')).toBe(client.clientId);
    const again = (await signIn()).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const left = await form('/sign-out', {}, { cookie: again });
    expect([left.status, left.text]).toEqual([200, expect.stringContaining(provider.issuer)]);
    expect(bodyOf(await gateway.settings(member, 'DELETE', '/session'))).toEqual({ ok: true });
  });

  it('is found by the domain of an address: of the workspace that has proved it and names it', async () => {
    const domain = `${workspace.id.toLowerCase().replace('_', '-')}.test`;
    const other = await gateway.workspace();
    const { domainOwners } = gateway.mail;
    const began = async (query = `email=robin@${domain}`) => {
      const { answer } = await new Browser().open(start(query), provider.issuer);
      const to = new URL(answer.headers.location ?? 'none:').searchParams;
      expect(to.get('login_hint') ?? domain).toContain(domain);
      return to.get('client_id') ?? answer.status;
    };
    // Another workspace has named it first, and has not proved it.
    await set({ domains: [domain], clientId: 'another' }, other.admin);
    expect(await began()).toBe(404);
    domainOwners.set(domain, workspace.id);
    expect(await began()).toBe(404);
    await set({ domains: [domain] });
    expect(await began()).toBe(client.clientId);
    domainOwners.set(domain, other.id);
    expect(await began()).toBe('another');
    domainOwners.delete(domain);
    for (const query of [undefined, 'workspace=nothing', '']) expect(await began(query)).toBe(404);
    await gateway.mailGoes();
    expect(await began()).toBe(503);
    await gateway.mailComes();
  });

  it('leaves passwords to administrators alone where the workspace says so', async () => {
    const made = { email: `p-${member.id.toLowerCase()}@acme.test`, name: 'Robin', password };
    const admin = { ...made, email: `admin-${made.email}`, role: 'admin' };
    for (const one of [made, admin])
      expect((await gateway.settings(workspace.admin, 'POST', '/members', one)).status).toBe(201);
    const by = async ({ email }: { email: string }): Promise<number> =>
      (await gateway.send('/settings/api/session', { method: 'POST', body: { email, password } }))
        .status;
    expect([await by(made), await by(admin)]).toEqual([200, 200]);
    await set({ passwords: false });
    expect([await by(made), await by(admin)]).toEqual([401, 200]);
    gateway.mail.calls.length = 0;
    for (const { email } of [made, admin]) await form('/reset', { email });
    while ((await gateway.rows('SELECT FROM notices')).length > 0) await sleep(50);
    const letters = gateway.mail.calls.filter(
      ({ request, input }) =>
        request.operation === accountMail.send.id && /reset\?token=/.test(String(input['text'])),
    );
    expect(letters.map(({ input }) => input['to'])).toEqual([admin.email]);
  });

  it.each([
    ['/invitation', '/members', 'invitationUrl'],
    ['/reset/new', '/members/:id/reset-link', 'resetUrl'],
  ])('a link to %s says so to who signs in with the provider alone', async (path, made, link) => {
    await set({ passwords: false });
    const tokenOf = async (role: 'member' | 'admin'): Promise<string> => {
      const { id } = await gateway.member(workspace, role);
      const email = `${role}-${id.toLowerCase()}@acme.test`;
      const answer = await gateway.settings(workspace.admin, 'POST', made.replace(':id', id), {
        ...(made === '/members' && { email, role, name: 'Robin' }),
      });
      return new URL(String(bodyOf(answer)[link])).searchParams.get('token') ?? '';
    };
    const token = await tokenOf('member');
    const refused = await form(path, { token, password });
    expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined]);
    expect(refused.text).toContain('sign in with your provider');
    expect(hrefIn(refused)).toContain(`workspace=${workspace.id}`);
    await gateway.restart();
    expect((await gateway.audit(workspace)).map(({ action }) => action)).toContain(
      'member.signInRefused',
    );
    expect((await form(path, { token: await tokenOf('admin'), password })).status).toBe(303);
    await set({ passwords: true });
    expect((await form(path, { token, password })).status).toBe(303);
  });

  it.each([
    ['issuer', { issuer: 'ftp://elsewhere.test' }],
    ['issuer', { issuer: 'http://169.254.169.254' }],
    ['issuer', { issuer: null, clientId: null, passwords: false }],
    ['clientSecret', { clientSecret: undefined }],
    ['domains.0', { domains: ['not a domain'] }],
  ])('refuses a fault of %s: %j', async (field, changes) => {
    const { admin } = await gateway.workspace();
    const answer = await set(changes, admin);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)['details']).toEqual([expect.objectContaining({ field })]);
  });

  it('says when the provider is down, and passwords go on', async () => {
    await provider.close();
    const answer = await send(start());
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.text).toContain('does not answer');
    const made = { email: `q-${member.id.toLowerCase()}@acme.test`, name: 'Robin', password };
    await gateway.settings(workspace.admin, 'POST', '/members', made);
    const { email } = made;
    const body = { email, password };
    const signed = await gateway.send('/settings/api/session', { method: 'POST', body });
    expect(signed.status).toBe(200);
  });
});
