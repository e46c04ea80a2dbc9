// tags: own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer } from './http.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { errorOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const limit = 6;

describe('limits', () => {
  let running: RunningProduct;
  let place: Workplace;
  let mailbox: string;

  const newKey = (): Promise<OwnKey> => place.keyFor(mailbox);
  const list = (key: OwnKey): Promise<Answer> => key.get('/v1/conversations', { mailbox });
  const exhaust = async (key: OwnKey): Promise<void> => {
    for (let i = 0; i < limit; i++) expect((await list(key)).status).toBe(200);
  };
  const retryAfter = (answer: Answer): number => Number(answer.headers['retry-after']);

  beforeAll(async () => {
    running = await startProduct({
      RATE_LIMIT_PER_MINUTE: String(limit),
      SMTP_IDLE_TIMEOUT: '1s',
    });
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
  });

  afterAll(() => running.remove());

  describe('of requests a minute and key', () => {
    it('counts down and then refuses, saying when there is room again', async () => {
      const key = await newKey();
      for (let left = limit - 1; left >= 0; left--) {
        const { status, headers } = await list(key);
        expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
          200,
          String(limit),
          String(left),
        ]);
      }
      const refused = await list(key);
      expect(refused.status).toBe(429);
      expect(Object.keys(errorOf(refused)).sort()).toEqual(['error', 'requestId']);
      expect(refused.headers).toMatchObject({
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': '0',
        'retry-after': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      });
      expect(retryAfter(refused)).toBeGreaterThan(50);
      expect(retryAfter(refused)).toBeLessThanOrEqual(60);
    });

    it('holds for 30 requests at once', async () => {
      const key = await newKey();
      const answers = await Promise.all(Array.from({ length: 30 }, () => list(key)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - limit);
    });

    it('comes before path, scope and body', async () => {
      const key = await newKey();
      await exhaust(key);
      expect((await key.get('/v1/nothing')).status).toBe(429);
      expect((await key.request('POST', '/v1/conversations/cnv_x/comment', '{')).status).toBe(429);
    });

    it('cannot be used up by someone who does not have the secret', async () => {
      const key = await newKey();
      const neighbour = await newKey();
      const at = key.key.lastIndexOf('_');
      const guess = key.key.slice(0, at) + neighbour.key.slice(at);
      for (let i = 0; i < limit + 2; i++) {
        expect((await place.with(guess).get('/v1/conversations', { mailbox })).status).toBe(401);
      }
      await exhaust(key);
    });

    it('stays as it is when the key is changed', async () => {
      const key = await newKey();
      await exhaust(key);
      await place.settings.patch(`/keys/${key.id}`, { name: 'Renamed' });
      expect((await list(key)).status).toBe(429);
    });
  });
});
