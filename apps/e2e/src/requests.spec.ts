import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { assertRefusal } from './refusal.js';
import { commentOf, conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('requests of the public API', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;
  let path: string;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    path = `/v1/conversations/${(await place.receive(api, mailbox)).id}`;
  });

  it('are all answered, though 300 are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        i % 3 === 0
          ? api.post(`${path}/comment`, { mailbox, text: `No. ${i}` }, randomUUID())
          : api.get('/v1/conversations', { mailbox }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const whole = conversationOf(await api.get(path, { mailbox }));
    expect([whole.commentCount, whole.comments.length]).toEqual([100, 100]);
  });

  it('keep any text as it is, or refuse it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
        const answer = await api.post(`${path}/comment`, { mailbox, text }, randomUUID());
        if (answer.status === 200) expect(commentOf(answer).text).toBe(text);
        else assertRefusal(answer, [400]);
      }),
      { numRuns: repetitions(100, 30) },
    );
  });
});
