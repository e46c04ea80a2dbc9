// tags: own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './http.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { SmtpDialogue } from './smtp-dialogue.js';
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

    it('leaves other keys alone', async () => {
      await exhaust(await newKey());
      expect((await list(await newKey())).status).toBe(200);
    });

    it('holds for 30 requests at once', async () => {
      const key = await newKey();
      const answers = await Promise.all(Array.from({ length: 30 }, () => list(key)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - limit);
    });

    it('does not count what it refused', async () => {
      const key = await newKey();
      await exhaust(key);
      const first = retryAfter(await list(key));
      for (let i = 0; i < 10; i++) {
        await sleep(200);
        await list(key);
      }
      expect(retryAfter(await list(key))).toBeLessThanOrEqual(first - 1);
    });

    it('counts refusals of other kinds, unknown paths among them', async () => {
      const key = await newKey();
      const refusals = [
        await key.get('/v1/nothing'),
        await key.get('/v1/conversations'),
        await key.get('/v1/conversations', { mailbox: 'x@unheard-of.example' }),
        await key.get('/v1/conversations/cnv_x', { mailbox }),
        await key.request('POST', '/v1/conversations/cnv_x/archive', '{'),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([404, 400, 403, 404, 400]);
      expect((await list(key)).headers['x-ratelimit-remaining']).toBe(String(limit - 6));
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

    it('does not apply to what needs no key', async () => {
      for (let i = 0; i < limit + 2; i++) {
        expect((await send(`${running.product.baseUrl}/openapi.json`)).status).toBe(200);
      }
    });
  });

  it('of patience: an SMTP client that says nothing is told 421 4.4.2', async () => {
    const dialogue = await SmtpDialogue.open(running.product);
    await dialogue.say('EHLO correspondent.example');
    expect((await dialogue.reply()).text).toMatch(/^421 4\.4\.2 /);
    const sending = await SmtpDialogue.openEnvelope(running.product, mailbox);
    sending.socket.write('Subject: Never finished\r\n');
    expect((await sending.reply()).text).toMatch(/^421 4\.4\.2 /);
  });
});
