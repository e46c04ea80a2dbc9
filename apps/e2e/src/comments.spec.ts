import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { exchange, rawRequest } from './raw-http.js';
import { strangerOf } from './sameness.js';
import {
  type Comment,
  commentOf,
  conversationOf,
  type ConversationItem,
  errorOf,
  pageOf,
  recordOf,
} from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('conversations.comment', () => {
  let place: Workplace;
  let api: OwnKey;
  let mailbox: string;
  let conversation: ConversationItem;

  const path = (): string => `/v1/conversations/${conversation.id}/comment`;
  const comments = async (): Promise<readonly Comment[]> =>
    conversationOf(await api.get(`/v1/conversations/${conversation.id}`, { mailbox })).comments;
  const newKey = (): string => `e2e-${randomUUID()}`;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  beforeEach(async () => {
    conversation = await place.receive(api, mailbox);
  });

  it('answers ok, the conversation and the comment, which is then in the detail', async () => {
    const answer = await api.post(path(), { mailbox, text: 'Refund it.' }, newKey());
    expect(answer.status).toBe(200);
    const comment = commentOf(answer);
    expect(recordOf(answer)).toEqual({ ok: true, id: conversation.id, result: comment });
    expect(Object.keys(comment)).toEqual(
      expect.arrayContaining(['id', 'author', 'text', 'createdAt']),
    );
    expect(comment).toMatchObject({ text: 'Refund it.', createdAt: expect.stringMatching(/Z$/) });
    expect(await comments()).toEqual([comment]);
  });

  it('is counted, and moves nothing in the list', async () => {
    const newer = await place.receive(api, mailbox);
    await api.post(path(), { mailbox, text: 'Noted.' }, newKey());
    const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 2 }));
    expect(conversations.map((item) => [item.id, item.commentCount])).toEqual([
      [newer.id, 0],
      [conversation.id, 1],
    ]);
  });

  it('keeps comments oldest first', async () => {
    for (const text of ['one', 'two', 'three']) await api.post(path(), { mailbox, text }, newKey());
    expect((await comments()).map((comment) => comment.text)).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['ASCII', 'x'.repeat(10_000)],
    ['characters outside the basic plane', '😀'.repeat(10_000)],
  ])('accepts 10 000 characters of %s', async (_what, text) => {
    const answer = await api.post(path(), { mailbox, text }, newKey());
    expect(commentOf(answer).text).toBe(text);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
    ['one character too long', 'x'.repeat(10_001)],
    ['one emoji too long', '😀'.repeat(10_001)],
  ])('refuses a text that is %s, and names the field', async (_what, text) => {
    const answer = await api.post(path(), { mailbox, text }, newKey());
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toContainEqual(expect.objectContaining({ field: 'text' }));
    expect(await comments()).toEqual([]);
  });

  it('keeps line ends, tabs, direction marks and emoji as they are', async () => {
    const text = ' a\r\n\tb \u202eש\u200d👩‍👧 é e\u0301 <b>&amp;</b> ';
    expect(commentOf(await api.post(path(), { mailbox, text }, newKey())).text).toBe(text);
    expect((await comments())[0]?.text).toBe(text);
  });

  it('answers not found for an unknown conversation', async () => {
    const unknown = `/v1/conversations/${strangerOf(conversation.id)}/comment`;
    expect((await api.post(unknown, { mailbox, text: 'x' }, newKey())).status).toBe(404);
  });

  describe('Idempotency-Key', () => {
    it('is required', async () => {
      const answer = await api.post(path(), { mailbox, text: 'x' });
      expect(answer.status).toBe(400);
      expect(await comments()).toEqual([]);
    });

    it.each([8, 200])('may have %s characters', async (length) => {
      const key = randomUUID().repeat(6).slice(0, length);
      expect((await api.post(path(), { mailbox, text: 'x' }, key)).status).toBe(200);
    });

    it('may be any printable ASCII', async () => {
      const key = `${String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 33 + i))}${newKey()}`;
      expect((await api.post(path(), { mailbox, text: 'x' }, key)).status).toBe(200);
    });

    it.each([
      ['of 7 characters', 'a'.repeat(7)],
      ['of 201 characters', 'a'.repeat(201)],
      ['that is empty', ''],
      ['with a letter outside ASCII', 'clé-unique-1'],
      ['with bytes of UTF-8', Buffer.from('clé-unique-1').toString('latin1')],
      ['with a tab', 'key\twith-tab'],
      ['with a DEL', 'key\u007fwith-del'],
    ])('%s is refused', async (_what, key) => {
      const body = JSON.stringify({ mailbox, text: 'x' });
      const { pathname } = new URL(place.product.baseUrl + path());
      const [answer] = await exchange(
        place.product,
        rawRequest(
          `POST ${pathname} HTTP/1.1`,
          [
            'Host: localhost',
            `X-Api-Key: ${api.key}`,
            `Idempotency-Key: ${key}`,
            'Content-Type: application/json',
            `Content-Length: ${body.length}`,
            'Connection: close',
          ],
          body,
        ),
      );
      expect(answer?.status).toBe(400);
      expect(await comments()).toEqual([]);
    });

    it('gives the first answer again, byte for byte, and says so', async () => {
      const key = newKey();
      const first = await api.post(path(), { mailbox, text: 'Once.' }, key);
      const second = await api.post(path(), { mailbox, text: 'Once.' }, key);
      expect(first.headers['x-svc-idempotency'] ?? 'miss').toBe('miss');
      expect(second.headers['x-svc-idempotency']).toBe('hit');
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(await comments()).toHaveLength(1);
    });

    it('holds for the same content written otherwise', async () => {
      const key = newKey();
      const first = await api.post(path(), { mailbox, text: 'é' }, key);
      const spaced = `{ "text" : "\\u00e9",\n "mailbox": "${mailbox}" }`;
      const second = await api.request('POST', path(), spaced, { 'Idempotency-Key': key });
      expect([second.status, second.text]).toEqual([200, first.text]);
    });

    it('with another text is a conflict', async () => {
      const key = newKey();
      await api.post(path(), { mailbox, text: 'One.' }, key);
      const answer = await api.post(path(), { mailbox, text: 'Another.' }, key);
      expect(answer.status).toBe(409);
      expect(await comments()).toHaveLength(1);
    });

    it('with another conversation is a conflict', async () => {
      const key = newKey();
      const elsewhere = await place.receive(api, mailbox);
      await api.post(path(), { mailbox, text: 'One.' }, key);
      const there = `/v1/conversations/${elsewhere.id}/comment`;
      expect((await api.post(there, { mailbox, text: 'One.' }, key)).status).toBe(409);
    });

    it('is free again after a refusal', async () => {
      const key = newKey();
      const unknown = `/v1/conversations/${strangerOf(conversation.id)}/comment`;
      expect((await api.post(unknown, { mailbox, text: 'x' }, key)).status).toBe(404);
      expect((await api.post(path(), { mailbox, text: '' }, key)).status).toBe(400);
      expect((await api.post(path(), { mailbox, text: 'x' }, key)).status).toBe(200);
    });

    it('belongs to one API key', async () => {
      const key = newKey();
      const colleague = await place.keyFor(mailbox);
      await api.post(path(), { mailbox, text: 'Mine.' }, key);
      expect((await colleague.post(path(), { mailbox, text: 'Theirs.' }, key)).status).toBe(200);
      expect(await comments()).toHaveLength(2);
    });

    it('belongs to one operation', async () => {
      const key = newKey();
      await api.post(path(), { mailbox, text: 'One.' }, key);
      const archive = await api.post(
        `/v1/conversations/${conversation.id}/archive`,
        { mailbox },
        key,
      );
      expect(archive.status).toBe(200);
    });

    it('of 20 requests at once writes one comment and gives one answer', async () => {
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => api.post(path(), { mailbox, text: 'Once.' }, key)),
      );
      const good = answers.filter((answer) => answer.status === 200);
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
      expect(new Set(good.map((answer) => answer.text)).size).toBe(1);
      expect(await comments()).toHaveLength(1);
    });

    it('of 20 different contents at once lets one through', async () => {
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => api.post(path(), { mailbox, text: `No. ${i}` }, key)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
      expect(await comments()).toHaveLength(1);
    });
  });
});
