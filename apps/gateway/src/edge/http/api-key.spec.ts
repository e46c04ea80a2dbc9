import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fingerprintPrefix, newApiKey } from '@postroom/access';
import { newId } from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { Client } from 'pg';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import { alike, bodyOf, type Answer } from '../../testing/http.js';

const host = 'one.test';
const path = '/v1/conversations?mailbox=support@acme.test';
const grants = { 'support@acme.test': 'read' } as const;

/** Another last character: the checksum is wrong. */
const misspelt = (token: string): string => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
const strange = (): string => newApiKey('human', newId('key').slice('key_'.length)).token;
const ofSameId = (token: string): string => newApiKey('human', token.split('_')[2] ?? '').token;

describe('an API key', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  const ask = (headers: Record<string, string>, where = path): Promise<Answer> =>
    gateway.send(`/public${where}`, { headers: { host, ...headers } });

  beforeAll(async () => {
    gateway = await Gateway.start({
      WORKSPACE_DOMAINS: `${host}=one, TWO.test = two`,
      RATE_LIMIT_PER_MINUTE: '1000',
    });
    workspace = await gateway.workspace('one');
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    key = await gateway.key(workspace, { grants });
    gateway.log.length = 0;
  });

  it.each([
    ['X-Api-Key', () => ({ 'x-api-key': key })],
    ['Authorization', () => ({ authorization: `Bearer ${key}` })],
    ['Authorization in any case', () => ({ authorization: `bEARER  ${key} ` })],
    [
      'Authorization beside an empty X-Api-Key',
      () => ({ 'x-api-key': '', authorization: `Bearer ${key}` }),
    ],
  ])('opens in %s', async (_name, headers) => {
    expect((await ask(headers())).status).toBe(200);
  });

  it.each([
    ['in a query parameter', {}, (): string => `${path}&key=${key}`],
    ['in a cookie', { cookie: 'postroom_session' }, (): string => path],
  ])('does not open %s', async (_name, headers, where) => {
    const spelt = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, `${value}=${key}`]),
    );
    expect((await ask(spelt, where())).status).toBe(401);
  });

  it('in X-Api-Key is the one that counts when Authorization has another', async () => {
    const other = { 'x-api-key': misspelt(key), authorization: `Bearer ${key}` };
    expect((await ask(other)).status).toBe(401);
  });

  describe('that is refused', () => {
    let causes: Record<string, { headers: Record<string, string>; recognised: boolean }>;

    beforeAll(async () => {
      const two = await gateway.workspace('two');
      const known = await gateway.key(workspace, { grants });
      const agent = await gateway.key(workspace, { kind: 'agent', grants });
      const revoked = await gateway.key(workspace, { grants, revokedAt: new Date() });
      const expired = await gateway.key(workspace, {
        grants,
        expiresAt: new Date(Date.now() - 1000),
      });
      const foreign = await gateway.key(two, { grants });
      const of = (token: string, recognised: boolean) => ({
        headers: { 'x-api-key': token },
        recognised,
      });
      causes = {
        missing: { headers: {}, recognised: false },
        malformed: of('letmein', false),
        'malformed and very long': of('x'.repeat(8000), false),
        misspelt: of(misspelt(known), true),
        unknown: of(strange(), false),
        'with another secret': of(ofSameId(known), true),
        'of another kind than it says': of(agent.replace('pr_agent', 'pr_human'), true),
        revoked: of(revoked, true),
        expired: of(expired, true),
        'of the workspace of another domain': of(foreign, true),
        'given twice': of(`${known}, ${known}`, false),
        'a session': { headers: { cookie: workspace.admin.cookie }, recognised: false },
      };
    });

    it('gets the same status, headers and bytes whatever the cause, the path and the method', async () => {
      const refused: unknown[] = [];
      for (const { headers } of Object.values(causes)) {
        refused.push(alike(await ask(headers)));
        refused.push(alike(await ask(headers, '/v1/nothing')));
        const strayed = {
          method: 'POST',
          headers: { host, ...headers, 'content-type': 'n/a;;' },
          body: '{',
        };
        refused.push(alike(await gateway.send(`/public${path}`, strayed)));
      }
      const [first] = refused;
      expect(first).toMatchObject({ status: 401 });
      for (const other of refused) expect(other).toEqual(first);
    });

    it('hears nothing of limits, and a text in French', async () => {
      const answer = await ask(causes['revoked']?.headers ?? {});
      expect(Object.keys(answer.headers).filter((name) => /ratelimit|retry/.test(name))).toEqual(
        [],
      );
      expect(bodyOf(answer)).toEqual({
        error: 'Clé d’API absente, invalide ou révoquée.',
        code: 'UNAUTHENTICATED',
        requestId: answer.headers['x-request-id'],
      });
    });

    const compared = [
      'missing',
      'malformed',
      'misspelt',
      'unknown',
      'with another secret',
      'revoked',
    ];

    it('is looked up once whatever the cause', async () => {
      const rows = jest.spyOn(Database.prototype, 'rows');
      for (const cause of compared) {
        rows.mockClear();
        await ask(causes[cause]?.headers ?? {});
        const lookedUp = rows.mock.calls.filter(([{ name }]) => name.startsWith('access.find_'));
        expect([cause, lookedUp.length]).toEqual([cause, 1]);
      }
      rows.mockRestore();
    });

    it('costs as much computation whatever the cause', async () => {
      // CPU time, the least of many: that of a busy machine is no longer. A cause that skips work is off in all.
      let spread = Infinity;
      for (let round = 0; round < 8 && spread >= 1.4; round++)
        spread = Math.min(spread, await spreadOfLeast());
      expect(spread).toBeLessThan(1.4);
    });

    async function spreadOfLeast(): Promise<number> {
      const times = new Map(compared.map((cause) => [cause, [] as number[]]));
      for (let i = 0; i < 30; i++) {
        for (const [cause, measured] of times) {
          const start = process.cpuUsage();
          await ask(causes[cause]?.headers ?? {});
          const { user, system } = process.cpuUsage(start);
          measured.push(user + system);
        }
      }
      const least = [...times.values()].map((all) => Math.min(...all));
      return Math.max(...least) / Math.min(...least);
    }

    it('is answered before anything is written, and leaves a log line and an audit record', async () => {
      const writer = new Client({ connectionString: gateway.database.adminUrl });
      await writer.connect();
      await writer.query('BEGIN; LOCK TABLE access.audit_records, access.keys IN EXCLUSIVE MODE');
      const answer = await ask({ 'x-api-key': ofSameId(key) });
      expect(answer.status).toBe(401);
      await writer.end();
      await gateway.restart();
      const subjectId = idOfKey(key);
      const requestId = answer.headers['x-request-id'];
      expect(await gateway.audit(workspace)).toContainEqual({
        ...{ action: 'key.refused', subjectId, actorId: subjectId, requestId },
      });
    });

    it('is in the log with its reason and a fingerprint, never itself', async () => {
      for (const { headers } of Object.values(causes)) await ask(headers);
      await gateway.restart();
      const log = gateway.log.join('');
      const lines = gateway.log.map((line) => JSON.parse(line) as Record<string, unknown>);
      const refusals = lines.filter(({ msg }) => msg === 'request refused');
      expect(refusals).toHaveLength(Object.keys(causes).length);
      for (const { headers } of Object.values(causes)) {
        const given = headers['x-api-key'];
        if (given === undefined) continue;
        expect(log).not.toContain(given);
        if (given.startsWith('pr_')) expect(log).not.toContain(given.slice(-20));
        expect(refusals).toContainEqual(
          expect.objectContaining({
            key: fingerprintPrefix(given),
            method: 'GET',
            route: '/public/v1/conversations',
          }),
        );
      }
    });

    it('is audited where it was recognised, ten times a minute at most, and nowhere else', async () => {
      await gateway.rows('DELETE FROM audit_entries; DELETE FROM audit_records');
      for (const { headers } of Object.values(causes)) {
        for (let i = 0; i < 12; i++) await ask(headers);
      }
      await gateway.restart();
      const found = await gateway.rows<{ subject_id: string; count: number; tenant_id: string }>(
        `SELECT subject_id, tenant_id, count(*)::int AS count
         FROM (SELECT subject_id, tenant_id FROM audit_records
               UNION ALL SELECT subject_id, tenant_id FROM audit_entries) known GROUP BY 1, 2`,
      );
      const recognised = Object.values(causes).filter((cause) => cause.recognised);
      const ids = new Set(recognised.map(({ headers }) => idOfKey(headers['x-api-key'] ?? '')));
      expect(new Set(found.map((row) => row.subject_id))).toEqual(ids);
      for (const { count } of found) expect(count).toBeLessThanOrEqual(10);
    });
  });

  it('does not use up its window or its last use while it is refused', async () => {
    const wrong = ofSameId(key);
    for (let i = 0; i < 5; i++) await ask({ 'x-api-key': wrong });
    await gateway.restart();
    const rows = await gateway.rows('SELECT last_used_at FROM keys WHERE id = $1', [idOfKey(key)]);
    expect(rows).toEqual([{ last_used_at: null }]);
    expect((await ask({ 'x-api-key': key })).headers['x-ratelimit-remaining']).toBe('999');
  });

  it('has its last use written after the answer, once a minute, without another version', async () => {
    await ask({ 'x-api-key': key });
    await ask({ 'x-api-key': key });
    await gateway.restart();
    const [row] = await gateway.rows<{ last_used_at: Date; version: number }>(
      'SELECT last_used_at, version FROM keys WHERE id = $1',
      [idOfKey(key)],
    );
    expect(row?.version).toBe(1);
    expect(Date.now() - Number(row?.last_used_at)).toBeLessThan(20_000);
    expect(gateway.log.join('')).not.toContain('could not record');
  });

  it('names itself nowhere in a log of served requests', async () => {
    await ask({ 'x-api-key': key });
    await ask({ 'x-api-key': key }, '/v1/conversations/x?mailbox=x');
    await gateway.restart();
    expect(gateway.log.join('')).not.toContain(key.slice(-20));
  });
});
