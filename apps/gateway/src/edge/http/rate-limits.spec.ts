import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  conversations,
  problemFacts,
  type Operation,
  serviceNames,
  variablePrefix,
} from '@postroom/contracts';
import { loadConfig } from '@postroom/service';
import { GatewayConfig } from '../../config.js';
import { ApiThrottlerGuard, throttlerOptions } from './rate-limits.js';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';
import { newRequestState } from './request-state.js';

const limit = 4;
const list = '/v1/conversations?mailbox=support@acme.test';

describe('the limit of a key', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start({ RATE_LIMIT_PER_MINUTE: String(limit) });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    key = await gateway.key(workspace, { grants: { 'support@acme.test': 'read' } });
  });

  const limitsIn = ({ headers }: Answer): unknown[] => [
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ];
  const fill = async (path = list): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let i = 0; i < limit; i++) answers.push(await gateway.ask(key, path));
    return answers;
  };

  it('counts down in every answer, and then refuses', async () => {
    const served = await fill();
    expect(served.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(served.map(limitsIn)).toEqual([
      ['4', '3'],
      ['4', '2'],
      ['4', '1'],
      ['4', '0'],
    ]);
    const refused = await gateway.ask(key, list);
    expect(refused.status).toBe(429);
    expect(limitsIn(refused)).toEqual(['4', '0']);
    expect(bodyOf(refused)).toEqual({
      error: problemFacts('RATE_LIMITED').fr,
      code: 'RATE_LIMITED',
      requestId: refused.headers['x-request-id'],
    });
  });

  it('says when there is room again, in whole seconds within the minute', async () => {
    await fill();
    const { headers } = await gateway.ask(key, list);
    expect(headers['retry-after']).toBe(headers['x-ratelimit-reset']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(50);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('does not count what it refused', async () => {
    await fill();
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      waits.push(Number((await gateway.ask(key, list)).headers['retry-after']));
    }
    expect(waits).toEqual(waits.toSorted((a, b) => b - a));
  });

  it('is told in refusals of every other kind', async () => {
    const answers = [
      await gateway.ask(key, '/v1/nothing'),
      await gateway.ask(key, '/v1/conversations/x/archive', { method: 'POST' }),
      await gateway.ask(key, '/v1/conversations'),
      await gateway.ask(key, '/v1/conversations?mailbox=sales@acme.test'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 403, 400, 403]);
    expect(answers.map(limitsIn)).toEqual([
      ['4', '3'],
      ['4', '2'],
      ['4', '1'],
      ['4', '0'],
    ]);
  });

  it('goes on where it was when the key is changed', async () => {
    await gateway.ask(key, list);
    const renamed = await gateway.settings(workspace.admin, 'PATCH', `/keys/${idOfKey(key)}`, {
      name: 'Renamed',
    });
    expect(renamed.status).toBe(200);
    expect(limitsIn(await gateway.ask(key, list))).toEqual(['4', '2']);
  });

  it('counts unknown paths and methods with the rest', async () => {
    await fill('/v1/nothing');
    expect((await gateway.ask(key, list)).status).toBe(429);
    expect((await gateway.ask(key, list, { method: 'PURGE' })).status).toBe(429);
  });

  it('holds for requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.ask(key, list)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - limit);
  });

  it('leaves other keys of the workspace alone', async () => {
    await fill();
    expect((await gateway.ask(await gateway.key(workspace), '/v1/nothing')).status).toBe(404);
  });

  it('does not concern the published description', async () => {
    await fill();
    const answer = await gateway.ask(key, '/openapi.json');
    expect(answer.status).toBe(200);
    expect(limitsIn(answer)).toEqual([undefined, undefined]);
  });

  it('is audited where it refuses, ten times a minute at most, and moves no last use', async () => {
    await fill();
    await gateway.restart();
    await fill();
    await gateway.rows('UPDATE keys SET last_used_at = NULL');
    for (let i = 0; i < 12; i++) expect((await gateway.ask(key, list)).status).toBe(429);
    await gateway.restart();
    const all = await gateway.audit(workspace);
    const records = all.filter(({ actorId }) => actorId === idOfKey(key));
    expect(new Set(records.map(({ action }) => action))).toEqual(new Set(['key.rateLimited']));
    expect(records).toHaveLength(10);
  });
});

describe('the limit of a member', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start({ MEMBER_RATE_LIMIT_PER_MINUTE: String(limit) });
  });
  afterAll(() => gateway.close());

  it('counts all of the settings, unknown paths too, and leaves other members alone', async () => {
    const { admin } = await gateway.workspace();
    const paths = ['/session', '/members', '/keys', '/nothing'];
    for (const path of paths) {
      const { status, headers } = await gateway.settings(admin, 'GET', path);
      expect([status, headers['x-ratelimit-limit']]).toEqual([
        path === '/nothing' ? 404 : 200,
        '4',
      ]);
    }
    const refused = await gateway.settings(admin, 'GET', '/members');
    expect([refused.status, bodyOf(refused).error]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    const other = (await gateway.workspace()).admin;
    expect((await gateway.settings(other, 'GET', '/members')).status).toBe(200);
  });
});

describe('the two families', () => {
  const config = loadConfig(GatewayConfig, {
    DATABASE_URL: 'postgres://x',
    BLOBS_DATABASE_URL: 'postgres://x',
    PUBLIC_URL: 'http://x',
    AUDIT_KEY: 'k'.repeat(44),
    CALLER_KEY: 'k'.repeat(44),
    ...Object.fromEntries(
      serviceNames.map((name) => [`${variablePrefix(name)}_CALLER_KEY`, 'k'.repeat(44)]),
    ),
    SECRETS_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    RATE_LIMIT_PER_MINUTE: '3',
    SEND_RATE_LIMIT_PER_MINUTE: '1',
  });
  let guard: ApiThrottlerGuard;

  beforeEach(async () => {
    const options = throttlerOptions(config, { exchange: () => Promise.resolve([]) });
    if (Array.isArray(options) || !options.storage) throw new Error('no storage');
    guard = new ApiThrottlerGuard(options, options.storage, new Reflector());
    await guard.onModuleInit();
  });

  /** A request of one key for an operation; the table has no send operation yet. */
  const take = (operation: Operation): Promise<unknown> => {
    const state = { ...newRequestState(), operation };
    const caller = { type: 'key', keyId: 'key_1' };
    const request = { state: { ...state, authorization: { caller } } };
    const reply = { header: () => reply, headers: () => reply };
    const context = {
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
      getHandler: () => take,
      getClass: () => Object,
    };
    return guard.canActivate(context as unknown as ExecutionContext);
  };
  const sendOperation: Operation = { ...conversations.comment, effect: 'send' };

  it('have windows and ceilings of their own: sends do not block reads', async () => {
    await take(sendOperation);
    await expect(take(sendOperation)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (let i = 0; i < 3; i++) await take(conversations.list);
    await expect(take(conversations.list)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('hold all routes but sends in one window', async () => {
    for (const operation of [conversations.list, conversations.get, conversations.archive])
      await take(operation);
    await expect(take(conversations.reopen)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await take(sendOperation);
  });
});
