import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { send } from './http.js';
import { conversationOf, errorOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

describe('every answer of the public API', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  const list = '/v1/conversations';

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  it('are answered with what no cache keeps and no browser takes for a page', async () => {
    const answers = [
      await api.get(list, { mailbox }),
      await api.get('/v1/nothing'),
      await place.settings.get('/members'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  describe('X-Request-Id', () => {
    it.each(['', 'x'.repeat(65), 'a b', 'a/b', 'é', 'a,b', '<script>', '"'])(
      'makes another for one that is out of form: %j',
      async (id) => {
        const answer = await api.get(list, { mailbox }, { 'X-Request-Id': id });
        expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
        expect(answer.headers['x-request-id']).not.toBe(id);
      },
    );

    it('is in every refusal, in header and body', async () => {
      const id = `mine-${randomUUID()}`;
      const headers = { 'X-Request-Id': id };
      const refusals = [
        await send(place.product.baseUrl + list, { headers }),
        await api.get('/v1/nothing', {}, headers),
        await api.get(list, {}, headers),
        await api.get(list, { mailbox: 'x@unheard-of.example' }, headers),
        await api.get(`${list}/cnv_x`, { mailbox }, headers),
        await api.request('POST', `${list}/cnv_x/archive`, '{', headers),
        await api.request('POST', `${list}/cnv_x/archive`, 'x'.repeat(1024 * 1024 + 1), headers),
      ];
      expect(refusals.map((answer) => answer.status)).toEqual([401, 404, 400, 403, 404, 400, 413]);
      for (const answer of refusals) {
        expect(answer.headers['x-request-id']).toBe(id);
        expect(errorOf(answer).requestId).toBe(id);
      }
    });
  });

  describe('rate limit headers', () => {
    it('go on from where they were when the key is changed', async () => {
      const key = await place.keyFor(mailbox);
      const left = async (): Promise<number> =>
        Number((await key.get(list, { mailbox })).headers['x-ratelimit-remaining']);
      const before = await left();
      await place.settings.patch(`/keys/${key.id}`, { name: 'Renamed' });
      expect(await left()).toBe(before - 1);
    });

    it('are in each answer to a recognised key, refusals included', async () => {
      const answers = [
        await api.get(list, { mailbox }),
        await api.get(list, {}),
        await api.get(list, { mailbox: 'x@unheard-of.example' }),
        await api.get(`${list}/cnv_x`, { mailbox }),
        await api.get('/v1/nothing'),
        await api.request('POST', `${list}/cnv_x/archive`, '{'),
      ];
      for (const { headers } of answers) {
        expect(headers['x-ratelimit-limit']).toBe('1000000');
        expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
        expect(headers['x-ratelimit-reset']).toMatch(/^\d+$/);
        expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(60);
        expect(Object.keys(headers).filter((name) => /^x-ratelimit-.*-/.test(name))).toEqual([]);
      }
    });
  });

  describe('paths and methods', () => {
    it.each([
      ['DELETE', list],
      ['PUT', list],
      ['POST', list],
      ['PATCH', `${list}/cnv_x`],
      ['DELETE', `${list}/cnv_x`],
      ['GET', `${list}/cnv_x/archive`],
    ])(
      'answers a method that a conversation path has not with 404: %s %s',
      async (method, path) => {
        expect((await api.request(method, path)).status).toBe(404);
      },
    );

    it('tells no one what it is made of', async () => {
      const { headers } = await api.get(list, { mailbox });
      expect(Object.keys(headers)).not.toContain('x-powered-by');
      expect(headers['server'] ?? '').not.toMatch(/node|nest|fastify/i);
    });
  });

  it.each(['/healthz', '/readyz', '/metrics'])(
    'is not needed to look after it: %s',
    async (path) => {
      const { origin } = new URL(place.product.baseUrl);
      const answer = await send(origin + path);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(mailbox);
      expect(answer.text).not.toContain(api.key);
    },
  );

  it('comes, though 300 requests are made at once', async () => {
    const { id } = await place.receive(api, mailbox);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        i % 3 === 0
          ? api.post(`${list}/${id}/comment`, { mailbox, text: `No. ${i}` }, randomUUID())
          : api.get(list, { mailbox }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const whole = conversationOf(await api.get(`${list}/${id}`, { mailbox }));
    expect(whole).toMatchObject({ commentCount: 100, version: expect.any(Number) });
    expect(whole.comments).toHaveLength(100);
  });
});
