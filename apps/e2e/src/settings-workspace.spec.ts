import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from './http.js';
import { errorOf, recordOf, versionedOf } from './wire.js';
import { Workplace } from './workplace.js';

describe('the settings of the workspace', () => {
  let place: Workplace;

  const newAddress = (): string => `box-${randomUUID()}@acme.test`;

  beforeAll(async () => {
    place = await Workplace.open('acme');
  });

  describe('a record', () => {
    const patch = (path: string, version: string): Promise<Answer> => {
      const body = JSON.stringify({ name: `Renamed ${randomUUID()}` });
      return place.settings.request('PATCH', path, body, { 'If-Match': version });
    };

    it.each(['/mailboxes', '/keys', '/members', '/teams'])(
      'is changed under the version that was read, and under no other: %s',
      async (list) => {
        const wishes = {
          '/mailboxes': { address: newAddress(), name: 'Support' },
          '/keys': { name: 'Integration', kind: 'human' },
          '/members': { email: newAddress(), name: 'Robin', role: 'member', canApprove: false },
          '/teams': { name: randomUUID() },
        };
        const body = Object.entries(wishes).find(([path]) => path === list)?.[1];
        const [made] = Object.values(recordOf(await place.settings.post(list, body)));
        const { id, version } = versionedOf(made);
        const path = `${list}/${id}`;
        expect((await patch(path, String(version))).status).toBe(200);
        expect((await patch(path, String(version))).status).toBe(409);
        expect((await patch(path, 'nonsense')).status).toBe(400);
        const stale = { 'If-Match': String(version) };
        if (list !== '/mailboxes') {
          const gone = await place.settings.request('DELETE', path, undefined, stale);
          expect(gone.status).toBe(409);
        }
      },
    );
  });

  describe('a refusal', () => {
    it.each([
      ['an unknown path', 404, 'GET', '/nothing', undefined],
      ['an unknown id', 404, 'PATCH', '/keys/key_x', '{"name":"x"}'],
      ['no JSON', 400, 'POST', '/keys', '{'],
      ['no object', 400, 'POST', '/members', '[]'],
      ['no body', 400, 'POST', '/mailboxes', ''],
      ['an unknown field', 400, 'PUT', '/send-switch', '{"open":true,"x":1}'],
      ['deep nesting', 400, 'POST', '/keys', '['.repeat(100_000)],
      ['too large a body', 413, 'POST', '/keys', 'x'.repeat(1024 * 1024 + 1)],
      ['a path that is no text', 404, 'PATCH', '/keys/%zz', '{"name":"x"}'],
    ])(
      'has a code, an English message and the request id: %s',
      async (_what, status, method, path, text) => {
        const answer = await place.settings.request(method, path, text);
        const body = errorOf(answer);
        expect(answer.status).toBe(status);
        expect(body).toMatchObject({
          error: expect.stringMatching(/^[A-Z][A-Z_]+$/),
          message: expect.any(String),
          requestId: answer.headers['x-request-id'],
        });
        expect(answer.text).not.toMatch(/\.js|node_modules|JSON at|FST_/);
      },
    );
  });
});
