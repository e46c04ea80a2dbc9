import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  type Comment,
  commentOf,
  conversationOf,
  type ConversationItem,
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

  it('keeps comments oldest first', async () => {
    for (const text of ['one', 'two', 'three']) await api.post(path(), { mailbox, text }, newKey());
    expect((await comments()).map((comment) => comment.text)).toEqual(['one', 'two', 'three']);
  });

  it('keeps line ends, tabs, direction marks and emoji as they are', async () => {
    const text = ' a\r\n\tb \u202eש\u200d👩‍👧 é e\u0301 <b>&amp;</b> ';
    expect(commentOf(await api.post(path(), { mailbox, text }, newKey())).text).toBe(text);
    expect((await comments())[0]?.text).toBe(text);
  });

  describe('Idempotency-Key', () => {
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

    it('belongs to one API key', async () => {
      const key = newKey();
      const colleague = await place.keyFor(mailbox);
      await api.post(path(), { mailbox, text: 'Mine.' }, key);
      expect((await colleague.post(path(), { mailbox, text: 'Theirs.' }, key)).status).toBe(200);
      expect(await comments()).toHaveLength(2);
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
  });
});
