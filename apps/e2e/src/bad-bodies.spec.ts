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

  it.each([
    ['not UTF-8', [0xff, 0xfe]],
    ['cut-off UTF-8', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0x80]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
  ])('with %s in a string is refused', async (_what, bytes) => {
    const body = withBytes(`{"mailbox":"${mailbox}","text":"a`, bytes, 'b"}');
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
    it('is refused when it is compressed', async () => {
      assertRefusal(await comment(gzipSync(json('x')), { 'Content-Encoding': 'gzip' }), [400, 415]);
    });
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
