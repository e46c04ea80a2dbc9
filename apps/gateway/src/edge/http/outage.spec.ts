import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemFacts } from '@postroom/contracts';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';
import { LeakyLine } from '../../testing/leaky-line.js';

const path = '/public/v1/conversations?mailbox=support@acme.test';

describe('while the database cannot be read', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  let line: LeakyLine;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    key = await gateway.key(workspace, { grants: { 'support@acme.test': 'read' } });
    line = await LeakyLine.to(gateway.database.urls.access);
    await gateway.restart({ DATABASE_URL: line.url });
  });
  afterAll(async () => {
    await gateway.close();
    line.close();
  });

  describe('for a while', () => {
    beforeAll(() => line.cut());
    afterAll(() => line.mend());

    it.each([
      ['with a key', () => ({ 'x-api-key': key }), path],
      ['with a malformed key', () => ({ 'x-api-key': 'letmein' }), path],
      ['without a key', () => ({}), path],
      ['for an unknown path', () => ({ 'x-api-key': key }), '/public/v1/nothing'],
      ['for an unknown path without a key', () => ({}), '/public/v1/nothing'],
      ['with a session', () => ({ cookie: workspace.admin.cookie }), '/settings/api/session'],
    ])('answers 503 %s', async (_name, headers, where) => {
      const answer = await gateway.send(where, { headers: headers() });
      const { status, fr, en } = problemFacts('AUTHORIZATIONS_UNAVAILABLE');
      expect(answer.status).toBe(status);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect([fr, en]).toContain(
        bodyOf(answer)[where.startsWith('/settings') ? 'message' : 'error'],
      );
      expect(Object.keys(answer.headers).join()).not.toContain('ratelimit');
    });

    it.each([
      ['a sign-in', '/session', { email: 'ada@acme.test', password: 'correct horse' }],
      ['an invitation', '/invitations/accept', { token: 'x', password: 'correct horse' }],
    ])('answers 503 to %s', async (_name, where, body) => {
      const answer = await gateway.send(`/settings/api${where}`, { method: 'POST', body });
      expect(answer.status).toBe(503);
      expect(bodyOf(answer).error).toBe('AUTHORIZATIONS_UNAVAILABLE');
    });

    it('says nothing of the cause, and logs it', async () => {
      const { text } = await gateway.send(path, { headers: { 'x-api-key': key } });
      expect(text).not.toMatch(/postgres|database|connection/i);
      expect(gateway.log.join('')).toContain('Connection terminated');
    });

    it('still answers what needs no database', async () => {
      const documents = ['/public/openapi.json', '/settings/openapi.json'];
      for (const where of ['/healthz', '/metrics', ...documents]) {
        expect((await gateway.send(where)).status).toBe(200);
      }
    });

    it('is not ready, and says why', async () => {
      const { status, text } = await gateway.send('/readyz');
      expect([status, text]).toEqual([503, expect.stringContaining('access database')]);
    });
  });

  it('serves again once it can be', async () => {
    expect((await gateway.send(path, { headers: { 'x-api-key': key } })).status).toBe(200);
    expect((await gateway.send(path)).status).toBe(401);
  });

  it('replaces connections that were dropped in between', async () => {
    line.drop();
    const { status } = await gateway.send(path, { headers: { 'x-api-key': key } });
    // The drop itself may be what a request meets.
    expect([200, 503]).toContain(status);
    expect((await gateway.send(path, { headers: { 'x-api-key': key } })).status).toBe(200);
  });
});
