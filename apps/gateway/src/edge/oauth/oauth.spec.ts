import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mailLists, type Scope } from '@postroom/contracts';
import { Gateway, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';

const mailbox = 'support@acme.test';
const callback = 'https://assistant.example/callback';
const verifier = randomBytes(32).toString('base64url');
const challenge = hash('sha256', verifier, 'base64url');

describe('OAuth', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let member: SomeMember;
  let clientId: string;
  let documents: Server;
  /** Answers for the host of a metadata document. */
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  let access: 'read' | 'write' = 'write';

  beforeAll(async () => {
    documents = createServer((request, response) => serve(request, response));
    await new Promise<void>((resolve) => documents.listen(0, '127.0.0.1', resolve));
    gateway = await Gateway.start({ OIDC_ALLOWED_CIDRS: '127.0.0.1/32' });
    gateway.mail.answer = ({ request }) => ({
      body:
        request.operation === mailLists.mailboxes.id
          ? { mailboxes: [{ id: 'mbx_1', address: mailbox, name: 'S', access }], truncated: false }
          : {},
    });
  });
  afterAll(async () => {
    documents.closeAllConnections();
    documents.close();
    await gateway.close();
  });
  beforeEach(async () => {
    access = 'write';
    await gateway.change('DELETE FROM oauth_clients');
    workspace = await gateway.workspace();
    member = await gateway.member(workspace);
    clientId = String(bodyOf(await register())['client_id']);
  });

  const form = (path: string, fields: readonly (readonly [string, string])[], headers = {}) =>
    gateway.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(
        fields.map(([name, value]): [string, string] => [name, value]),
      ).toString(),
    });
  const register = (uris: readonly unknown[] = [callback], name: unknown = 'Helper') =>
    gateway.send('/oauth/register', {
      method: 'POST',
      body: { client_name: name, redirect_uris: uris },
    });
  const resource = () => gateway.url('/public/mcp/latest');

  const query = (given: object = {}) => ({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: callback, state: 'a&b' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: resource() },
    ...given,
  });
  const ask = (given: object = {}, as = member): Promise<Answer> =>
    gateway.send(`/oauth/authorize?${new URLSearchParams(query(given)).toString()}`, {
      headers: { cookie: as.cookie },
    });
  const sealedIn = ({ text }: Answer): string =>
    /name="request" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const faultIn = ({ text }: Answer): string =>
    /<p class="bad"[^>]*>([^<]*)<\/p>/.exec(text)?.[1] ?? '';

  const both: readonly Scope[] = ['read:conversations', 'drafts:write'];
  const decide = (
    sealed: string,
    given: readonly (readonly [string, string])[] = [
      ...both.map((scope) => ['scope', scope] as const),
      [`mailbox:${mailbox}`, 'write'],
      ['decision', 'allow'],
    ],
    { cookie }: Pick<SomeMember, 'cookie'> = member,
    headers = {},
  ) => form('/oauth/authorize', [['request', sealed], ...given], { cookie, ...headers });
  const codeIn = ({ headers }: Answer): string =>
    new URL(String(headers.location)).searchParams.get('code') ?? '';
  const consent = async (given: object = {}) => codeIn(await decide(sealedIn(await ask(given))));

  const token = (fields: object): Promise<Answer> =>
    form('/oauth/token', Object.entries<string>({ client_id: clientId, ...fields }));
  const redeem = (code: string, fields: object = {}) =>
    token({
      ...{ grant_type: 'authorization_code', code, redirect_uri: callback },
      ...{ code_verifier: verifier, resource: resource(), ...fields },
    });
  const refresh = (refreshToken: unknown, fields: object = {}) =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...fields });
  const connect = async () => bodyOf(await redeem(await consent()));
  const use = (accessToken: unknown, path = '/mcp/latest', method = 'POST') =>
    gateway.send(`/public${path}`, {
      method,
      headers: { authorization: `Bearer ${String(accessToken)}` },
      ...(method === 'POST' && { body: {} }),
    });
  const works = async (accessToken: unknown) => (await use(accessToken)).status === 200;
  const keys = async () =>
    bodyOf(await gateway.settings(workspace.admin, 'GET', '/keys'))['items'] as {
      id: string;
      revokedAt: string | null;
    }[];
  const setAssistants = (given: object) =>
    gateway.settings(workspace.admin, 'PATCH', '/workspace', {
      assistants: { enabled: true, clients: [], scopes: both, ...given },
    });

  it('publishes where everything is', async () => {
    const server = bodyOf(await gateway.send('/.well-known/oauth-authorization-server'));
    expect(server).toMatchObject({
      issuer: gateway.url(''),
      token_endpoint: gateway.url('/oauth/token'),
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    for (const path of ['', '/public/mcp/latest'])
      expect(
        bodyOf(await gateway.send(`/.well-known/oauth-protected-resource${path}`)),
      ).toMatchObject({ resource: resource(), authorization_servers: [server['issuer']] });
    const challenges = ['/mcp/latest', '/mcp'].map(async (path) => {
      const { status, headers } = await gateway.send(`/public${path}`, { method: 'POST' });
      return [status, headers['www-authenticate']];
    });
    const metadata = gateway.url('/.well-known/oauth-protected-resource/public/mcp/latest');
    expect(await Promise.all(challenges)).toEqual([
      [401, `Bearer resource_metadata="${metadata}"`],
      [401, 'Bearer'],
    ]);
  });

  it('asks a signed-in member, with nothing chosen and no way to send or to be framed', async () => {
    const { status, headers } = await ask({}, { ...member, cookie: '' });
    expect(status).toBe(303);
    const back = new URL(String(headers.location), 'http://x').searchParams.get('next');
    const page = await gateway.send(String(back), { headers: { cookie: member.cookie } });
    expect(page.status).toBe(200);
    expect(page.text).toContain(workspace.name);
    expect(page.text).not.toMatch(/"\s+(?:checked|selected)|mail:send|<script|style=/);
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self' https://assistant.example; base-uri 'none'; frame-ancestors 'none'",
    );
    for (const [choice, fault] of [
      [[], 'Choose at least one thing that it may do.'],
      [[['scope', 'read:conversations']], 'Choose at least one mailbox.'],
      [
        [
          ['scope', 'drafts:write'],
          [`mailbox:${mailbox}`, 'read'],
        ],
        'To sort mail or write drafts it needs “Read and write” in at least one mailbox.',
      ],
    ] as const) {
      const again = await decide(sealedIn(page), [...choice, ['decision', 'allow']]);
      expect([again.status, faultIn(again)]).toEqual([400, fault]);
    }
    const { headers: refused } = await decide(sealedIn(page), [['decision', 'deny']]);
    expect(refused.location).toBe(
      `${callback}?error=access_denied&state=a%26b&iss=${encodeURIComponent(gateway.url(''))}`,
    );
    expect(await keys()).toEqual([]);
  });

  it('makes of a consent a key of the member that needs approval, for the tools alone', async () => {
    const answer = await decide(sealedIn(await ask()));
    const to = new URL(String(answer.headers.location));
    expect([to.origin + to.pathname, to.searchParams.get('state')]).toEqual([callback, 'a&b']);
    expect(to.searchParams.get('iss')).toBe(gateway.url(''));
    const given = await redeem(codeIn(answer));
    expect(given.headers['cache-control']).toBe('no-store');
    const tokens = bodyOf(given);
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: both.join(' ') });
    expect(await keys()).toMatchObject([
      {
        name: 'Helper (assistant.example)',
        ...{ kind: 'agent', approval: 'required', admin: false, member: member.email },
        ...{ scopes: both, mailboxes: [{ address: mailbox, access: 'write' }], expiresAt: null },
        client: { id: clientId, name: 'Helper', host: 'assistant.example' },
      },
    ]);
    const statuses = ['/mcp/latest', '/mcp', '/v1/me'].map(async (path) => [
      path,
      (await use(tokens['access_token'], path, path === '/v1/me' ? 'GET' : 'POST')).status,
    ]);
    expect(await Promise.all(statuses)).toEqual([
      ['/mcp/latest', 200],
      ['/mcp', 401],
      ['/v1/me', 401],
    ]);
    // Clients look for a stream after they have signed in.
    expect((await use(tokens['access_token'], '/mcp/latest', 'GET')).status).toBe(405);
    expect(await works(tokens['refresh_token'])).toBe(false);
    const stored = await gateway.rows<{ hash: string }>('SELECT hash FROM oauth_tokens');
    expect(stored.map((row) => row.hash)).toContain(hash('sha256', String(tokens['access_token'])));
  });

  it('holds a consent to what was asked for, and to what the member may do', async () => {
    access = 'read';
    const sealed = sealedIn(await ask({ scope: 'read:conversations mail:send unknown' }));
    const chosen = [
      ...['read:conversations', 'write:conversations', 'mail:send'].map(
        (s) => ['scope', s] as const,
      ),
      ...[mailbox, 'other@acme.test'].map((address) => [`mailbox:${address}`, 'read'] as const),
      ['decision', 'allow'],
    ] as const;
    await redeem(codeIn(await decide(sealed, chosen)));
    expect(await keys()).toMatchObject([
      { scopes: ['read:conversations'], mailboxes: [{ address: mailbox, access: 'read' }] },
    ]);
  });

  it.each([
    ['another path', 'https://assistant.example/callback/'],
    ['more behind it', 'https://assistant.example/callback?x=1'],
    ['another case', 'https://assistant.example/Callback'],
    ['another scheme', 'http://assistant.example/callback'],
    ['a port', 'https://assistant.example:8443/callback'],
    ['a subdomain', 'https://x.assistant.example/callback'],
    ['somebody’s name before it', 'https://assistant.example@evil.example/callback'],
    ['a path upwards', 'https://assistant.example/callback/../callback'],
    ['nothing', ''],
  ])('leads nowhere with %s', async (_what, redirect) => {
    const { status, headers, text } = await ask({ redirect_uri: redirect });
    expect([status, headers.location]).toEqual([400, undefined]);
    expect(text).not.toContain('Back to the assistant');
  });

  it('frees the port of a program on the member’s computer alone', async () => {
    const uris = ['http://127.0.0.1/cb', 'http://localhost:1/cb', 'cursor://anysphere.x/cb'];
    clientId = String(bodyOf(await register(uris))['client_id']);
    const statuses = async (...all: string[]) =>
      Promise.all(all.map(async (uri) => (await ask({ redirect_uri: uri })).status));
    expect(
      await statuses(
        'http://127.0.0.1:5123/cb',
        'http://localhost:9/cb',
        'cursor://anysphere.x/cb',
      ),
    ).toEqual([200, 200, 200]);
    expect(
      await statuses(
        ...[
          'http://127.0.0.1:5123/cb2',
          'http://127.0.0.1:80@evil.example/cb',
          'http://[::1]:9/cb',
        ],
      ),
    ).toEqual([400, 400, 400]);
  });

  it.each([
    'http://assistant.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/#x',
    'https://u:p@a.example/',
    'https://a;b.example/',
    'http://127.0.0.1:80@evil.example/',
    'file:///etc/passwd',
    `https://a.example/${'x'.repeat(500)}`,
    7,
  ])('does not register %s', async (uri) => {
    const { status, text } = await register([callback, uri]);
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: 'invalid_redirect_uri' }]);
  });

  it.each([
    ['another kind of answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['no scope that there is', { scope: 'mail:send' }, 'invalid_scope'],
  ])('tells a client of %s if the member wants it', async (_what, given, error) => {
    const { status, text } = await ask(given);
    expect(status).toBe(400);
    expect(text).toContain(`<a href="${callback}?error=${error}&amp;state=a%26b&amp;iss=`);
  });

  it('refuses a parameter that is given twice', async () => {
    const asked = `${new URLSearchParams(query()).toString()}&redirect_uri=https://evil.example/`;
    const { status } = await gateway.send(`/oauth/authorize?${asked}`, {
      headers: { cookie: member.cookie },
    });
    expect(status).toBe(400);
    const twice = await form('/oauth/token', [
      ['grant_type', 'refresh_token'],
      ['grant_type', 'authorization_code'],
    ]);
    expect([twice.status, bodyOf(twice)['error']]).toEqual([400, 'invalid_request']);
  });

  it('takes a second click for the first, until the code was redeemed', async () => {
    const sealed = sealedIn(await ask());
    const clicks = await Promise.all([decide(sealed), decide(sealed)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    const [code, again] = clicks.map(codeIn);
    expect(code).toBe(again);
    expect(await keys()).toHaveLength(1);
    const tokens = bodyOf(await redeem(code ?? ''));
    expect(faultIn(await decide(sealed))).toBe('You have allowed this already.');
    expect(await works(tokens['access_token'])).toBe(true);
  });

  it('takes a decision of nobody but the member and session that were asked', async () => {
    const sealed = sealedIn(await ask());
    const other = await gateway.member(workspace);
    const ownOther = { cookie: await gateway.session(workspace, member.id) };
    const decisions = [
      decide(sealed, undefined, other),
      decide(sealed, undefined, ownOther),
      decide(`${sealed.slice(0, -4)}AAAA`),
    ];
    expect((await Promise.all(decisions)).map(({ status }) => status)).toEqual([400, 400, 400]);
    expect((await decide(sealed, undefined, { cookie: '' })).status).toBe(401);
    expect((await decide(sealed, undefined, member, { origin: 'https://evil.test' })).status).toBe(
      403,
    );
    expect(await keys()).toEqual([]);
  });

  it.each([
    ['is redeemed twice', (code: string) => redeem(code)],
    ['is another client’s', (code: string) => redeem(code, { client_id: 'ocl_x' })],
    ['lacks its verifier', (code: string) => redeem(code, { code_verifier: `${verifier}x` })],
    ['was sent elsewhere', (code: string) => redeem(code, { redirect_uri: 'https://a.example/' })],
  ])('ends the connection when a code %s', async (what, misuse) => {
    const code = await consent();
    const tokens = what === 'is redeemed twice' ? bodyOf(await redeem(code)) : {};
    const misused = await misuse(code);
    expect([misused.status, bodyOf(misused)['error']]).toEqual([400, 'invalid_grant']);
    expect((await redeem(code)).status).toBe(400);
    expect(await works(tokens['access_token'])).toBe(false);
    expect((await keys()).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(String)]);
    const actions = (await gateway.audit(workspace)).map(({ action }) => action);
    expect(actions).toContain('connections.misused');
  });

  it('refuses a code that is late, and tokens for another resource', async () => {
    const code = await consent();
    expect(bodyOf(await redeem(code, { resource: 'https://evil.example/' }))['error']).toBe(
      'invalid_target',
    );
    await gateway.rows(`UPDATE oauth_tokens SET expires_at = now()`);
    expect(bodyOf(await redeem(code))['error']).toBe('invalid_grant');
  });

  it('rotates refresh tokens, and ends the connection when one is used again', async () => {
    const first = await connect();
    const second = bodyOf(await refresh(first['refresh_token']));
    expect(await works(second['access_token'])).toBe(true);
    const atOnce = await Promise.all([
      refresh(second['refresh_token']),
      refresh(second['refresh_token']),
    ]);
    expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = bodyOf(atOnce.find(({ status }) => status === 200) as Answer);
    for (const { access_token: token } of [first, second, winner])
      expect(await works(token)).toBe(false);
    expect((await refresh(winner['refresh_token'])).status).toBe(400);
  });

  it('keeps a bounded number of tokens of a connection', async () => {
    let { refresh_token: last } = await connect();
    await gateway.rows(
      `INSERT INTO oauth_tokens (hash, tenant_id, key_id, kind, created_at, expires_at, used_at)
       SELECT 'old ' || k.kind || n, t.tenant_id, t.key_id, k.kind, now() - interval '1 day', now() + interval '1 day', now()
       FROM oauth_tokens t, (VALUES ('access'), ('refresh')) k (kind), generate_series(1, 200) n
       WHERE t.kind = 'code' AND t.tenant_id = $1`,
      [workspace.id],
    );
    last = bodyOf(await refresh(last))['refresh_token'];
    expect((await refresh(last)).status).toBe(200);
    const [found] = await gateway.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM oauth_tokens WHERE tenant_id = $1',
      [workspace.id],
    );
    expect(found?.count).toBeLessThanOrEqual(1 + 21 + 101);
  });

  it('is ended by the client, the member, and an administrator', async () => {
    const ended = async (end: (tokens: Record<string, unknown>, id: string) => Promise<Answer>) => {
      const tokens = await connect();
      const [key] = (await keys()).filter(({ revokedAt }) => revokedAt === null);
      const { status } = await end(tokens, key?.id ?? '');
      return [
        status,
        await works(tokens['access_token']),
        (await refresh(tokens['refresh_token'])).status,
      ];
    };
    const revoke = (token: unknown, id = clientId) =>
      form('/oauth/revoke', [
        ['token', String(token)],
        ['client_id', id],
      ]);
    const gone = [200, false, 400];
    expect(await ended((tokens) => revoke(tokens['refresh_token']))).toEqual(gone);
    expect(
      await ended((_, id) => gateway.settings(member, 'DELETE', `/connections/${id}`)),
    ).toEqual(gone);
    expect(
      await ended((_, id) => gateway.settings(workspace.admin, 'DELETE', `/keys/${id}`)),
    ).toEqual(gone);
    expect(
      await ended(async (tokens, id) => {
        expect((await revoke(tokens['access_token'], 'ocl_x')).status).toBe(400);
        const other = await gateway.member(workspace);
        return gateway.settings(other, 'DELETE', `/connections/${id}`);
      }),
    ).toEqual([404, true, 200]);
    expect((await revoke('unknown')).status).toBe(200);
    const own = bodyOf(await gateway.settings(member, 'GET', '/connections'))['items'];
    expect(own).toMatchObject([{ client: { host: 'assistant.example' } }]);
  });

  it.each(['PATCH', 'DELETE'])('ends with its member (%s)', async (method) => {
    const tokens = await connect();
    const body = method === 'PATCH' ? { active: false } : undefined;
    await gateway.settings(workspace.admin, method, `/members/${member.id}`, body);
    expect(await works(tokens['access_token'])).toBe(false);
    if (body) {
      await gateway.settings(workspace.admin, method, `/members/${member.id}`, { active: true });
      expect(await works(tokens['access_token'])).toBe(false);
    }
  });

  it('obeys an administrator who narrows: the workspace, the key, the mailbox', async () => {
    const tokens = await connect();
    for (const given of [{ enabled: false }, { clients: ['other.example'] }]) {
      await setAssistants(given);
      expect(await works(tokens['access_token'])).toBe(false);
      expect((await refresh(tokens['refresh_token'])).status).toBe(400);
      expect(faultIn(await ask())).toContain('administrator');
    }
    await setAssistants({ clients: ['assistant.example'], scopes: ['read:conversations'] });
    access = 'read';
    const narrowed = bodyOf(await refresh(tokens['refresh_token']));
    expect(narrowed['scope']).toBe('read:conversations');
    expect(await keys()).toMatchObject([{ mailboxes: [{ address: mailbox, access: 'read' }] }]);
    expect((await ask()).text).not.toContain('drafts:write');
    await setAssistants({ scopes: [] });
    expect((await ask()).text).toContain('invalid_scope');
  });

  describe('by a metadata document', () => {
    let document: string;
    let content: object;

    beforeEach(() => {
      document = `http://127.0.0.1:${(documents.address() as AddressInfo).port}/${randomBytes(8).toString('hex')}`;
      content = { client_id: document, client_name: 'Web', redirect_uris: [callback] };
      serve = (_, response) => response.end(JSON.stringify(content));
      clientId = document;
    });

    it('connects, and is named by the host that answers for it', async () => {
      await redeem(await consent());
      const { host } = new URL(document);
      expect(await keys()).toMatchObject([
        { name: `Web (${host})`, client: { id: document, name: 'Web', host } },
      ]);
    });

    it('is read again when the member decides, and refused when it has changed', async () => {
      const sealed = sealedIn(await ask());
      content = { ...content, redirect_uris: ['https://evil.example/cb'] };
      expect((await decide(sealed)).status).toBe(400);
      content = { ...content, redirect_uris: [callback], client_name: 'Another' };
      expect((await decide(sealed)).status).toBe(400);
      expect(await keys()).toEqual([]);
    });

    it('stays what was allowed, whatever the document says afterwards', async () => {
      let { refresh_token: token } = await connect();
      for (const later of [
        { ...content, client_name: 'Another', redirect_uris: ['https://evil.example/cb'] },
        null,
      ]) {
        serve = (_, response) => response.writeHead(later ? 200 : 404).end(JSON.stringify(later));
        token = bodyOf(await refresh(token))['refresh_token'];
        expect(token).toBeDefined();
      }
      const client = { id: document, name: 'Web', host: new URL(document).host };
      expect(await keys()).toMatchObject([{ client }]);
    });

    /** Sends for as long as somebody reads. */
    const endless: typeof serve = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    };

    it.each<[string, () => void]>([
      ['names another', () => (content = { ...content, client_id: `${document}/x` })],
      ['is no object', () => (serve = (_, response) => response.end('null'))],
      [
        'leads elsewhere',
        () => (serve = (_, response) => response.writeHead(302, { location: '/' }).end()),
      ],
      ['has no end', () => (serve = endless)],
      [
        'has a gigabyte',
        () =>
          (serve = (request, response) =>
            endless(request, response.writeHead(200, { 'content-length': 2 ** 30 }))),
      ],
      [
        'is unpacked to more than it came as',
        () =>
          (serve = (_, response) => {
            const padded = JSON.stringify({ ...content, padding: ' '.repeat(5_000_000) });
            response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(padded));
          }),
      ],
      [
        'comes a byte at a time',
        () =>
          (serve = (_, response) => {
            const timer = setInterval(() => response.write(' '), 50);
            response.once('close', () => clearInterval(timer));
          }),
      ],
    ])('is refused when it %s', async (_what, spoil) => {
      spoil();
      const { status, headers } = await ask();
      expect([status, headers.location]).toEqual([400, undefined]);
    });

    it.each([
      'http://10.0.0.1/x',
      'http://[::1]/x',
      'https://u@127.0.0.1/x',
      'https://127.0.0.1/',
      'http://127.0.0.1/a/../b',
    ])('is not read at %s', async (id) => expect((await ask({ client_id: id })).status).toBe(400));

    it('is read for a member twenty times a minute, and for strangers never', async () => {
      let reads = 0;
      serve = (_, response) => response.writeHead((reads++, 404)).end();
      await ask({}, { ...member, cookie: '' });
      expect(reads).toBe(0);
      const all = await Promise.all(Array.from({ length: 30 }, () => ask()));
      expect(all.filter(({ status }) => status === 429)).toHaveLength(10);
      expect(reads).toBe(20);
    });
  });

  it('forgets registrations that nobody allows, and takes fifty of a network', async () => {
    await consent();
    const answers = await Promise.all(Array.from({ length: 55 }, () => register()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(bodyOf(answers.find(({ status }) => status === 429) as Answer)['error']).toBe(
      'temporarily_unavailable',
    );
    await gateway.rows(`UPDATE oauth_clients SET expires_at = expires_at - interval '2 days'`);
    await gateway.rows('SELECT purge_oauth()');
    expect(await gateway.rows('SELECT id FROM oauth_clients')).toEqual([{ id: clientId }]);
  });

  it('takes ten thousand registrations, and more once one of them was allowed', async () => {
    await gateway.rows(
      `INSERT INTO oauth_clients (id, name, redirect_uris, site, expires_at)
       SELECT 'ocl_' || n, 'x', ARRAY['https://a.example/'], 'site ' || n, now() + interval '1 day'
       FROM generate_series(1, 9999) n`,
    );
    const refused = await register();
    expect([refused.status, bodyOf(refused)['error']]).toEqual([429, 'temporarily_unavailable']);
    await consent();
    expect((await register()).status).toBe(201);
    expect((await register()).status).toBe(429);
  });

  it('ends connections that nobody uses any more, and forgets those that never were', async () => {
    await connect();
    await consent();
    await gateway.rows(`UPDATE oauth_tokens SET expires_at = now() - interval '2 hours'`);
    await gateway.rows(
      `UPDATE keys SET expires_at = now() - interval '2 hours' WHERE expires_at IS NOT NULL`,
    );
    await gateway.rows('SELECT purge_oauth()');
    expect((await keys()).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(String)]);
    expect(await gateway.rows('SELECT FROM oauth_tokens')).toEqual([]);
  });
});
