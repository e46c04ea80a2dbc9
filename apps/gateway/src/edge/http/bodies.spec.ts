import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { Gateway } from '../../testing/gateway.js';
import { bodyOf, exchange, statusesOf, type Answer } from '../../testing/http.js';

const mailbox = 'support@acme.test';
const path = `/v1/conversations/${newId('cnv')}/comment`;
const sound = { mailbox, text: 'Hello' };
const mebibyte = 2 ** 20;

describe('a body', () => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    const workspace = await gateway.workspace();
    const grants = { [mailbox]: 'write' } as const;
    key = await gateway.key(workspace, { scopes: ['write:conversations'], grants });
  });
  afterAll(() => gateway.close());

  beforeEach(() => {
    gateway.mail.calls.length = 0;
  });

  const post = (
    body: string | Buffer | object,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    gateway.ask(key, path, {
      method: 'POST',
      headers: { 'idempotency-key': 'a-good-key', ...headers },
      body,
    });
  const chunked = { 'transfer-encoding': 'chunked' };
  /** JSON of exactly so many bytes; what is too much of it is white space. */
  const ofSize = (bytes: number): string => JSON.stringify(sound).padEnd(bytes, ' ');

  it.each([
    ['as it is', JSON.stringify(sound), {}],
    ['with white space', ` \r\n\t${JSON.stringify(sound)}\n`, {}],
    ['with a byte order mark', `\u{feff}${JSON.stringify(sound)}`, {}],
    ['in chunks', JSON.stringify(sound), chunked],
    [
      'as application/json with a charset',
      JSON.stringify(sound),
      { 'content-type': 'Application/JSON; charset=utf-8' },
    ],
    ['as a kind of JSON', JSON.stringify(sound), { 'content-type': 'application/vnd.api+json' }],
    ['of 1 MiB', ofSize(mebibyte), {}],
    ['of 1 MiB in chunks', ofSize(mebibyte), chunked],
  ])('is read %s', async (_name, body, headers) => {
    expect((await post(body, headers)).status).toBe(200);
    expect(gateway.mail.calls.map(({ input }) => input)).toEqual([expect.objectContaining(sound)]);
  });

  it.each([
    ['past 1 MiB', ofSize(mebibyte + 1), {}],
    ['past 1 MiB in chunks', ofSize(mebibyte + 1), chunked],
    ['of 40 MiB in chunks', Buffer.alloc(40 * mebibyte, ' '), chunked],
  ])('is refused with 413 %s', async (_name, body, headers) => {
    expect((await post(body, headers)).status).toBe(413);
  });

  it('past 1 MiB is refused before it is sent', async () => {
    const head = `POST /public${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nIdempotency-Key: a-good-key\r\n`;
    const received = await exchange(
      gateway.port,
      [`${head}Content-Length: 99999999999\r\n\r\n`],
      500,
    );
    expect(statusesOf(received)).toEqual([413]);
  });

  it.each([
    ['that is cut short', '{"mailbox":'],
    ['of nothing but white space', '  \n'],
    ['that is no JSON', 'mailbox=a@b.test'],
    ['of two values', '{} {}'],
    ['that is null', 'null'],
    ['that is a list', '[]'],
    ['that is a text', '"text"'],
    ['that is a number', '1e999'],
    ['of bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['in UTF-16', Buffer.from(JSON.stringify(sound), 'utf16le')],
    ['with a surrogate encoded by itself', Buffer.from('7b2261223a22eda080227d', 'hex')],
    [
      'with an escaped lone surrogate in a field',
      '{"mailbox":"support@acme.test","text":"\\ud800"}',
    ],
    ['with a NUL in a field', { ...sound, text: 'a\u0000b' }],
    ['with __proto__', '{"mailbox":"support@acme.test","text":"x","__proto__":{"text":"y"}}'],
    [
      'with an escaped __proto__',
      '{"mailbox":"support@acme.test","text":"x","\\u005f_proto__":{"a":1}}',
    ],
    ['with constructor.prototype', '{"text":"x","constructor":{"prototype":{"mailbox":"m"}}}'],
    ['with an unknown field', { ...sound, extra: 1 }],
    ['that names the conversation a second time', { ...sound, id: newId('cnv') }],
    ['that nests 100 000 lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    [
      'that nests 100 000 objects in a field',
      `{"text":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ],
    ['that nests and poisons', `{"text":${'{"__proto__":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['that is compressed', Buffer.from('1f8b0800000000000003ab562a492d2e5100', 'hex')],
  ])('is refused with 400 %s', async (_name, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)).toMatchObject({ requestId: answer.headers['x-request-id'] });
    expect(gateway.mail.calls).toEqual([]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'nonsense;;',
    '',
    'é/ü',
  ])('of the type %j is refused with 400', async (type) => {
    const answer = await post(JSON.stringify(sound), { 'content-type': type });
    expect(answer.status).toBe(400);
    const { error, details } = bodyOf(answer);
    expect(error).toBe('Requête invalide. Content-Type application/json attendu.');
    expect(details).toBeUndefined();
  });

  it('is read as it is: of another Content-Encoding it is refused', async () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'deflate']) {
      const answer = await post(JSON.stringify(sound), { 'content-encoding': encoding });
      expect([answer.status, bodyOf(answer).code]).toEqual([415, 'ENCODING_UNSUPPORTED']);
    }
    const answer = await post(JSON.stringify(sound), { 'content-encoding': 'Identity' });
    expect(answer.status).toBe(200);
  });

  it('that is empty is an empty object, of whatever type', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense;;']) {
      const answer = await post('', { 'content-type': type });
      expect(bodyOf(answer).details).toContainEqual(expect.objectContaining({ field: 'text' }));
    }
  });

  it('of a GET is ignored', async () => {
    const reader = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': '1' };
    const answer = await gateway.send('/public/openapi.json', { headers: reader, body: '{' });
    expect(answer.status).toBe(200);
  });

  it('that is cut off leaves nothing behind', async () => {
    const head = `POST /public${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nIdempotency-Key: a-good-key\r\n`;
    await exchange(gateway.port, [`${head}Content-Length: 100\r\n\r\n{"mailbox":`], 100);
    await exchange(gateway.port, [`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"mai`], 100);
    expect(gateway.mail.calls).toEqual([]);
    expect(gateway.log.join('')).not.toContain('"level":"error"');
    expect((await post(sound)).status).toBe(200);
  });

  it('that nobody reads leaves the connection to the next request', async () => {
    const refused = (size: number): string =>
      `POST /public${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`;
    const known = `GET /public/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const received = await exchange(gateway.port, [refused(10), refused(3 * mebibyte), known]);
    expect(statusesOf(received)).toEqual([401, 401, 200]);
  });

  it('that is refused unread is heard out before a connection that ends is closed', async () => {
    const large = Buffer.alloc(24 * mebibyte, ' ');
    const asked = httpRequest({
      port: gateway.port,
      method: 'POST',
      path: `/public${path}`,
      headers: { 'x-api-key': key, connection: 'close', 'content-length': large.length },
    });
    const answered = once(asked, 'response');
    const sent = once(asked.end(large), 'finish');
    const [[response]] = (await Promise.all([answered, sent])) as [[IncomingMessage], unknown];
    expect(response.statusCode).toBe(400);
    response.resume();
  });

  it('past 1 MiB leaves the connection to the next request', async () => {
    const head = `POST /public${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nIdempotency-Key: a-good-key\r\n`;
    const large = ofSize(2 * mebibyte);
    const next = `GET /public/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const declared = await exchange(gateway.port, [
      `${head}Content-Length: ${large.length}\r\n\r\n`,
      large,
      next,
    ]);
    expect(statusesOf(declared)).toEqual([413, 200]);
    const size = large.length.toString(16);
    const pieces = [
      `${head}Transfer-Encoding: chunked\r\n\r\n${size}\r\n`,
      large,
      '\r\n0\r\n\r\n',
      next,
    ];
    expect(statusesOf(await exchange(gateway.port, pieces))).toEqual([413, 200]);
  });

  it('of any bytes is a success or the client’s fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect((await post(Buffer.from(bytes))).status).toBeLessThan(500);
      }),
      { numRuns: repetitions(100, 25) },
    );
  });

  it('of any JSON is a success or the client’s fault', async () => {
    const value = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify({ ...sound, text })),
    );
    await fc.assert(
      fc.asyncProperty(value, async (json) => {
        expect((await post(json)).status).toBeLessThan(500);
      }),
      { numRuns: repetitions(100, 25) },
    );
  });
});
