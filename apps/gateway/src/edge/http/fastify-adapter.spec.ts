import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asyncApiDocument, openApiDocument, problemFacts } from '@postroom/contracts';
import { Gateway } from '../../testing/gateway.js';
import { bodyOf, exchange, statusesOf } from '../../testing/http.js';
import { DocumentsController, SettingsDocumentController } from './documents.controller.js';

const mailbox = 'support@acme.test';
const list = `/public/v1/conversations?mailbox=${mailbox}`;

describe('a request', () => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    const workspace = await gateway.workspace();
    key = await gateway.key(workspace, { grants: { [mailbox]: 'read' } });
  });
  afterAll(() => gateway.close());

  /** All that a connection answers, once the server has closed it. */
  const last = async (...lines: string[]): Promise<string> =>
    exchange(gateway.port, [[...lines, 'Connection: close', '', ''].join('\r\n')]);
  const text = (received: string): Record<string, unknown> =>
    JSON.parse(
      Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1').toString(),
    ) as Record<string, unknown>;

  describe('that Node or Fastify refuse by themselves', () => {
    it.each([
      ['no start line', ['nonsense']],
      ['no Host', [`GET ${list} HTTP/1.1`]],
      ['a header without a name', [`GET ${list} HTTP/1.1`, 'Host: x', ': y']],
      ['a length that is none', [`POST ${list} HTTP/1.1`, 'Host: x', 'Content-Length: ten']],
      [
        'two lengths',
        [`POST ${list} HTTP/1.1`, 'Host: x', 'Content-Length: 1', 'Content-Length: 2'],
      ],
      [
        'a length beside chunks',
        [`POST ${list} HTTP/1.1`, 'Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      ],
      ['a method that HTTP does not know', [`FROBNICATE ${list} HTTP/1.1`, 'Host: x']],
      ['another version', [`GET ${list} HTTP/3.1`, 'Host: x']],
      ['a path with a blank', ['GET /public/v1/a b HTTP/1.1', 'Host: x']],
      ['a control character in its path', ['GET /public/\u0001 HTTP/1.1', 'Host: x']],
      ['no path', ['GET public HTTP/1.1', 'Host: x']],
      ['HTTP/2 without agreement', ['PRI * HTTP/2.0', '', 'SM']],
      ['TLS', [Buffer.from('1603010200010001fc0303', 'hex').toString('latin1')]],
      ['another protocol', ['EHLO example.com']],
      ...[
        ...['NoColonHere', 'X-Space : a', 'X Space: a', 'X-Nul: a\0b', 'X-Cr: a\rb: c'],
        ...['Content-Length: -1', 'Content-Length: +1', 'Content-Length: 99999999999999999999999'],
        ...['Transfer-Encoding: nonsense', 'Transfer-Encoding: chunked, gzip'],
      ].map((line): [string, string[]] => [line, [`POST ${list} HTTP/1.1`, 'Host: x', line]]),
    ])('is answered 400 in our own words: %s', async (_name, lines) => {
      const received = await last(...lines);
      expect(statusesOf(received)).toEqual([400]);
      const [, requestId] = /^x-request-id: (\S+)$/im.exec(received) ?? [];
      expect(received).toMatch(/^content-type: application\/json; charset=utf-8$/im);
      const code = 'INVALID_REQUEST';
      expect(text(received)).toEqual({ error: problemFacts(code).fr, code, requestId });
    });

    it('is answered in the words of the settings where it is theirs', async () => {
      const received = await last('GET /settings/api/members HTTP/1.1');
      expect(statusesOf(received)).toEqual([400]);
      expect(text(received)).toMatchObject({
        error: 'INVALID_REQUEST',
        message: problemFacts('INVALID_REQUEST').en,
      });
    });

    it.each([
      ['headers are too many', list, Array.from({ length: 5_000 }, (_, i) => `X-${i}: a`)],
      ['headers are too long', list, [`X-Long: ${'x'.repeat(20_000)}`]],
      ['path is too long', `/public/v1/${'a'.repeat(100_000)}`, []],
    ])('is answered 431 when its %s', async (_what, path, lines) => {
      const received = await last(`GET ${path} HTTP/1.1`, 'Host: x', ...lines);
      expect(statusesOf(received)).toEqual([431]);
      expect(text(received)).toHaveProperty('requestId');
    });

    it.each(['GET /public/openapi.json', 'POST /settings/api/session'])(
      'is answered 417 when it expects what is not known: %s',
      async (start) => {
        const received = await last(`${start} HTTP/1.1`, 'Host: x', 'Expect: miracles');
        expect(statusesOf(received)).toEqual([417]);
        expect(received).toContain('requestId');
      },
    );

    it('leaves the log without an error, and the next request served', async () => {
      expect(gateway.log.join('')).not.toContain('"level":"error"');
      expect((await gateway.send('/public/openapi.json')).status).toBe(200);
    });
  });

  it.each([
    ['openapi', openApiDocument()],
    ['asyncapi', asyncApiDocument()],
  ])('without a key is answered the document %s', async (name, document) => {
    const answer = await gateway.send(`/public/${name}.json`);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': expect.any(String),
      },
    });
    expect(bodyOf(answer)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('for a document is answered by bytes that all readers share', () => {
    const [published, settings] = [
      new DocumentsController(undefined as never),
      new SettingsDocumentController(),
    ];
    for (const bytes of [
      () => published.openApiJson(),
      () => published.asyncApiJson(),
      () => settings.openApiJson(),
    ]) {
      expect(Buffer.isBuffer(bytes())).toBe(true);
      expect(bytes() === bytes()).toBe(true);
    }
  });

  it('that expects 100-continue is told to go on', async () => {
    const post = [
      'POST /settings/api/session HTTP/1.1',
      'Host: x',
      'Content-Length: 2',
      'Connection: close',
    ];
    const received = await exchange(gateway.port, [
      [...post, 'Expect: 100-continue', '', '{}'].join('\r\n'),
    ]);
    expect(statusesOf(received)).toEqual([100, 400]);
  });

  it('is answered with what no cache keeps, no browser takes for a page, and no name of a product', async () => {
    const own = { headers: { 'x-api-key': key } };
    for (const answer of [
      await gateway.send(list, own),
      await gateway.send('/public/v1/nothing', own),
      await gateway.send('/settings/api/members'),
    ]) {
      const { headers } = answer;
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect([headers['x-powered-by'], headers.server]).toEqual([undefined, undefined]);
    }
  });

  it.each(['/healthz', '/readyz', '/metrics'])(
    'to %s needs no key, and shows none',
    async (path) => {
      const { status, text } = await gateway.send(path);
      expect([status, text.includes(mailbox), text.includes(key)]).toEqual([200, false, false]);
    },
  );

  it('with an upgrade that is not offered is answered as if it were not there', async () => {
    const upgrade = [`GET ${list} HTTP/1.1`, 'Host: x', `X-Api-Key: ${key}`, 'Upgrade: websocket'];
    const asked = [...upgrade, 'Connection: Upgrade, close', '', ''].join('\r\n');
    expect(statusesOf(await exchange(gateway.port, [asked]))).toEqual([200]);
  });

  it('with CONNECT opens nothing', async () => {
    expect(statusesOf(await last('CONNECT internal.example:22 HTTP/1.1', 'Host: x'))).toEqual([]);
  });

  it('with two keys is refused', async () => {
    const keys = [`X-Api-Key: ${key}`, `X-Api-Key: ${key}`];
    expect(statusesOf(await last(`GET ${list} HTTP/1.1`, 'Host: x', ...keys))).toEqual([401]);
  });

  it('in the body of another one is part of that body', async () => {
    const inner = `GET ${list} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
    const head = 'POST /public/v1/conversations/cnv_x/archive HTTP/1.1\r\nHost: x\r\n';
    const more = `X-Api-Key: ${key}\r\nConnection: close\r\nContent-Length: ${inner.length}`;
    const received = await exchange(gateway.port, [`${head}${more}\r\n\r\n${inner}`]);
    expect(statusesOf(received)).toEqual([403]);
  });

  it('of HTTP/1.0 needs no Host', async () => {
    const received = await last(`GET ${list} HTTP/1.0`, `X-Api-Key: ${key}`);
    expect(statusesOf(received)).toEqual([200]);
  });

  it.each(['OPTIONS', 'TRACE', 'PURGE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'DELETE', 'PUT', 'PATCH'])(
    'with the method %s needs a key first, and is then unknown',
    async (method) => {
      expect((await gateway.send(list, { method })).status).toBe(401);
      const headers = { 'x-api-key': key };
      expect((await gateway.send(list, { method, headers })).status).toBe(404);
    },
  );

  it('with HEAD is a GET without the body', async () => {
    expect((await gateway.send(list, { method: 'HEAD' })).status).toBe(401);
    const { headers } = await gateway.send(list, { headers: { 'x-api-key': key } });
    const head = await gateway.send(list, { method: 'HEAD', headers: { 'x-api-key': key } });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  it.each([
    ['/public', 401],
    ['/public/', 401],
    ['/public/v1', 401],
    ['/public/v1/conversations/', 401],
    ['/settings/api', 401],
    ['/settings/api/', 401],
    ['/settings/api/nothing', 401],
    ['/v1/conversations', 404],
    ['/publicity', 404],
    ['//', 404],
    ['/public/v1/conversations/?mailbox=x', 401],
    ['/public/v1/conversations//comment', 401],
    ['/settings/api/members/', 401],
    ['/settings/api//session', 401],
    ['/public/v1/conversations/%zz', 401],
    ['/public/v1/conversations/%ff/send?mailbox=%zz', 401],
    ['/public/%', 401],
    ['/settings/api/members/%e2%28', 401],
    ['/%ff', 404],
  ])('for %s is answered %i to whoever has no credentials', async (path, status) => {
    const answer = await gateway.send(path);
    expect(answer.status).toBe(status);
    expect(Object.keys(bodyOf(answer))).toEqual(
      path.startsWith('/settings')
        ? ['error', 'message', 'requestId']
        : ['error', 'code', 'requestId'],
    );
  });

  it('with nothing where an id should be is for an unknown path', async () => {
    const answer = await gateway.ask(key, `/v1/conversations/?mailbox=${mailbox}`);
    expect(answer.status).toBe(404);
    expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
    expect(bodyOf(answer).error).toBe(problemFacts('ROUTE_NOT_FOUND').fr);
  });

  it('with an id of any length or form is about an id that nothing has', async () => {
    const ids = ['x', 'é', '%00', 'a%2Fb', '..%2f..%2fsettings', '%E2%80%A8', 'x'.repeat(12_000)];
    ids.push('__proto__', "'%20OR%201=1--", '%0d%0aX-Injected:%20yes');
    for (const id of [...ids, '%', '%zz', '%ff', '%E2%80', '%'.repeat(12_000)]) {
      gateway.mail.calls.length = 0;
      await gateway.ask(key, `/v1/conversations/${id}?mailbox=${mailbox}`);
      expect(gateway.mail.calls.map(({ input }) => input['id'])).toEqual([`cnv_${'0'.repeat(26)}`]);
    }
  });

  it('with a percent sign that begins nothing, in a path that is none, is for an unknown path', async () => {
    for (const path of ['/v1/%ff', '/v1/conversations/x/%zz', '/%']) {
      const answer = await gateway.ask(key, path);
      expect(answer.status).toBe(404);
      expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
      expect(bodyOf(answer).error).toBe(problemFacts('ROUTE_NOT_FOUND').fr);
    }
  });

  it.each([
    ['mailbox', `mailbox=${mailbox}&mailbox=${mailbox}`],
    ['limit', `mailbox=${mailbox}&limit=1&limit=2`],
    ['nothing', `mailbox=${mailbox}&nothing=1&nothing=2`],
  ])('with the query parameter %s given twice is refused', async (field, query) => {
    const answer = await gateway.ask(key, `/v1/conversations?${query}`);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer).details).toEqual([expect.objectContaining({ field })]);
  });

  it.each(['/v1/send', `/v1/conversations/x/comment`])(
    'to %s with two Idempotency-Keys is refused as with none that is one',
    async (path) => {
      const workspace = await gateway.workspace();
      const scopes = ['mail:send', 'write:conversations'] as const;
      const writer = await gateway.key(workspace, { scopes, grants: { [mailbox]: 'write' } });
      const post = (...keys: string[]): Promise<string> =>
        last(
          `POST /public${path} HTTP/1.1`,
          ...['Host: x', `X-Api-Key: ${writer}`, 'Content-Length: 0'],
          ...keys.map((one) => `Idempotency-Key: ${one}`),
        );
      for (const keys of [
        ['aaaaaaaa1', 'bbbbbbbb2'],
        ['aaaaaaaa1', 'aaaaaaaa1'],
      ]) {
        const received = await post(...keys);
        expect(statusesOf(received)).toEqual([400]);
        expect(text(received)['error']).toBe(problemFacts('IDEMPOTENCY_KEY_MALFORMED').fr);
      }
      // A comma may be part of one; what is wrong then is the body.
      expect(text(await post('aaaaaaaa1, bbbbbbbb2'))).toHaveProperty('details');
    },
  );

  it('with a query parameter nobody knows is answered all the same', async () => {
    const answer = await gateway.ask(
      key,
      `/v1/conversations?mailbox=${mailbox}&__proto__=1&id=x&utm=%zz`,
    );
    expect(answer.status).toBe(200);
  });

  it.each(['a', 'A-z.0_9', 'x'.repeat(64)])(
    'keeps the id %s that its client gave it',
    async (id) => {
      const { headers } = await gateway.send(list, { headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toBe(id);
    },
  );

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(65), '<script>'])(
    'gets an id of ours in place of %j',
    async (id) => {
      const answer = await gateway.send(list, { headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(bodyOf(answer).requestId).toBe(answer.headers['x-request-id']);
    },
  );

  it('is told apart from its neighbours on a connection that carries several', async () => {
    const get = (path: string, id: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nX-Request-Id: ${id}\r\n\r\n`;
    const pipelined =
      get(list, 'one') + get('/public/v1/nothing', 'two') + get('/healthz', 'three');
    const end = get(list, 'four').replace('Host', 'Connection: close\r\nHost');
    const received = await exchange(gateway.port, [pipelined + end]);
    expect(statusesOf(received)).toEqual([200, 404, 200, 200]);
    const ids = [...received.matchAll(/^x-request-id: (\w+)/gim)].map(([, id]) => id);
    expect(ids).toEqual(['one', 'two', 'three', 'four']);
  });
});
