import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer } from './http.js';
import { exchange, rawRequest } from './raw-http.js';
import { assertRefusal } from './refusal.js';
import { commentOf, conversationOf, type ConversationItem, errorOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const mebibyte = 1024 * 1024;

/** A body with bytes that are not UTF-8. */
const withBytes = (before: string, bytes: readonly number[], after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);

describe('a bad body', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;
  let conversation: ConversationItem;

  const path = (): string => `/v1/conversations/${conversation.id}/comment`;
  const comment = (
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    api.request('POST', path(), body, { 'Idempotency-Key': randomUUID(), ...headers });
  const json = (text: unknown, more: object = {}): string =>
    JSON.stringify({ mailbox, text, ...more });
  const detail = async (): Promise<ReturnType<typeof conversationOf>> =>
    conversationOf(await api.get(`/v1/conversations/${conversation.id}`, { mailbox }));

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    conversation = await place.receive(api, mailbox);
  });

  afterEach(async () => {
    expect((await api.get('/v1/conversations', { mailbox })).status).toBe(200);
  });

  describe('is refused when it is', () => {
    it.each([
      ['empty', ''],
      ['white space', ' \r\n'],
      ['cut off', '{"mailbox":"a@b.test","text":"x"'],
      ['followed by more', '{}{}'],
      ['JavaScript', "{mailbox: 'a@b.test'}"],
      ['with a trailing comma', '{"text":"x",}'],
      ['with a comment', '{"text":"x" /* hi */}'],
      ['a bare word', 'undefined'],
      ['NaN', '{"text":NaN}'],
      ['a form', 'mailbox=a%40b.test&text=x'],
      ['XML', '<?xml version="1.0"?><comment/>'],
      ['an array', '[]'],
      ['an array of bodies', '[{"text":"x"}]'],
      ['a string', '"text"'],
      ['a number', '1'],
      ['null', 'null'],
      ['true', 'true'],
      ['an empty object', '{}'],
      ['a raw control character in a string', '{"text":"a\u0001b"}'],
      ['a raw line end in a string', '{"text":"a\nb"}'],
      ['a bad escape', '{"text":"\\x41"}'],
      ['in UTF-16', Buffer.from('{"text":"x"}', 'utf16le')],
      ['zeros', Buffer.alloc(1000)],
      ['noise', Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * 151) % 256))],
    ])('%s', async (_what, body) => {
      assertRefusal(await comment(body), [400]);
    });
  });

  describe('with deep nesting of 100 000 levels is refused', () => {
    const depth = 100_000;
    it.each([
      ['arrays', '['.repeat(depth) + ']'.repeat(depth)],
      ['objects', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
      ['unclosed arrays', '['.repeat(depth)],
    ])('of %s, in the body, in a field and in an unknown field', async (_what, nested) => {
      assertRefusal(await comment(nested), [400]);
      assertRefusal(await comment(`{"mailbox":"${mailbox}","text":${nested}}`), [400]);
      assertRefusal(await comment(`{"mailbox":"${mailbox}","text":"x","y":${nested}}`), [400]);
    });
  });

  describe.each(['mailbox', 'text'])('with a %s that is', (field) => {
    it.each([
      ['a number', 1],
      ['zero', 0],
      ['null', null],
      ['true', true],
      ['an array', ['x']],
      ['an object', { toString: 'x', length: 3 }],
      ['a NUL', 'a\u0000b'],
      ['a lone high surrogate', 'a\ud800b'],
      ['a lone low surrogate', 'a\udc00b'],
    ])('%s is refused, and the field is named', async (_what, value) => {
      const answer = await comment(json('x', { [field]: value }));
      assertRefusal(answer, [400]);
      expect(errorOf(answer).details).toContainEqual({
        field,
        message: expect.any(String),
      });
    });
  });

  it.each([
    ['not UTF-8', [0xff, 0xfe]],
    ['cut-off UTF-8', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0x80]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
  ])('with %s in a string is refused', async (_what, bytes) => {
    const body = withBytes(`{"mailbox":"${mailbox}","text":"a`, bytes, 'b"}');
    assertRefusal(await comment(body), [400]);
  });

  it.each([
    '{"extra":1}',
    '{"id":"cnv_x"}',
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"toString":"x"}',
    '{"Text":"x"}',
    '{"":1}',
  ])('with a field that the specification does not list is refused: %s', async (extra) => {
    const body = `{"mailbox":"${mailbox}","text":"x",${extra.slice(1)}`;
    assertRefusal(await comment(body), [400]);
  });

  it('names the fields that are at fault, all of them', async () => {
    const answer = await comment('{"mailbox":1,"text":2,"extra":3}');
    const fields = errorOf(answer).details?.map(({ field }) => field);
    expect(fields?.toSorted()).toEqual(['extra', 'mailbox', 'text']);
  });

  it('writes nothing', async () => {
    expect(await detail()).toMatchObject({ version: conversation.version, comments: [] });
  });

  describe('by its size', () => {
    const filled = (bytes: number): string => {
      const empty = json('').length;
      return json('x'.repeat(bytes - empty));
    };

    it('is read up to 1 MiB, and then refused for what it says', async () => {
      assertRefusal(await comment(filled(mebibyte)), [400]);
    });

    it('is refused past 1 MiB', async () => {
      assertRefusal(await comment(filled(mebibyte + 1)), [413]);
    });

    it('is refused past 1 MiB without being waited for', async () => {
      const [answer] = await exchange(
        place.product,
        raw(['Content-Length: 10000000000', 'Connection: close'], '{"text":"'),
      );
      assertRefusal(answer, [413]);
    });

    it('is refused past 1 MiB when it comes in chunks', async () => {
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const [answer] = await exchange(place.product, [
        raw(['Transfer-Encoding: chunked', 'Connection: close']),
        ...Array.from({ length: 17 }, () => chunk),
        '0\r\n\r\n',
      ]);
      assertRefusal(answer, [413]);
    });

    it('in chunks is read as any other', async () => {
      const body = json('In chunks.');
      const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
      const [answer] = await exchange(
        place.product,
        raw(['Transfer-Encoding: chunked', 'Connection: close'], `${chunks}0\r\n\r\n`),
      );
      expect(answer?.status).toBe(200);
    });
  });

  describe('by its declared type', () => {
    it.each([
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset="UTF-8"',
    ])('is JSON: %s', async (type) => {
      expect((await comment(json('x'), { 'Content-Type': type })).status).toBe(200);
    });

    it.each([
      'text/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'nonsense',
      'application/json-patch+json; x=;',
    ])('is refused, or taken as the JSON that it is: %s', async (type) => {
      const answer = await comment(json('x'), { 'Content-Type': type });
      if (answer.status !== 200) assertRefusal(answer, [400, 415]);
    });

    it('is refused when it is compressed', async () => {
      assertRefusal(await comment(gzipSync(json('x')), { 'Content-Encoding': 'gzip' }), [400, 415]);
    });
  });

  describe('cut off', () => {
    it('by a client that goes away leaves nothing behind', async () => {
      const before = await detail();
      await exchange(place.product, raw(['Content-Length: 1000'], json('x').slice(0, 20)), 'abort');
      await exchange(place.product, raw(['Content-Length: 1000'], json('x')), 'half-close');
      expect(await detail()).toEqual(before);
    });

    it('in its chunks is refused', async () => {
      const answers = await exchange(
        place.product,
        raw(['Transfer-Encoding: chunked'], 'zz\r\n{"text":"x"}\r\n0\r\n\r\n'),
      );
      assertRefusal(answers[0], [400]);
    });
  });

  it('of any JSON values is a 4xx or a success, never an error of ours', async () => {
    const value = fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.string({ unit: 'binary' }));
    await fc.assert(
      fc.asyncProperty(fc.record({ mailbox: value, text: value, extra: value }), async (given) => {
        const answer = await comment(JSON.stringify(given));
        assertRefusal(answer, [400, 403]);
      }),
      { numRuns: repetitions(200, 60) },
    );
  });

  it('with any text is kept as it is, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
        const answer = await comment(json(text));
        if (answer.status === 200) expect(commentOf(answer).text).toBe(text);
        else assertRefusal(answer, [400]);
      }),
      { numRuns: repetitions(100, 30) },
    );
  });

  /** The raw request of a comment. */
  function raw(headers: readonly string[], body = ''): Buffer {
    const { pathname } = new URL(place.product.baseUrl + path());
    return rawRequest(
      `POST ${pathname} HTTP/1.1`,
      [
        'Host: localhost',
        `X-Api-Key: ${api.key}`,
        `Idempotency-Key: ${randomUUID()}`,
        'Content-Type: application/json',
        ...headers,
      ],
      body,
    );
  }
});
