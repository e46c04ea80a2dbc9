import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, problemFacts } from '@postroom/contracts';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer, type Ask } from '../../testing/http.js';
import type { MailAnswer, MailCall } from '../../testing/mail-stand-in.js';

const mailbox = 'support@acme.test';
const id = newId('cnv');
const comment = `/v1/conversations/${id}/comment`;
const list = `/v1/conversations?mailbox=${mailbox}`;

describe('an operation of another service', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    const scopes = ['read:conversations', 'write:conversations'] as const;
    key = await gateway.key(workspace, { scopes, grants: { [mailbox]: 'write' } });
  });
  afterAll(() => gateway.close());

  beforeEach(() => {
    gateway.mail.calls.length = 0;
    gateway.log.length = 0;
    gateway.mail.answer = () => ({ body: { ok: true } });
  });

  const post = (headers: Ask['headers'] = {}): Promise<Answer> =>
    gateway.ask(key, comment, {
      method: 'POST',
      headers: { 'idempotency-key': 'a-good-key', ...headers },
      body: { mailbox: 'Support@Acme.test', text: 'Hello' },
    });
  const only = (): MailCall => {
    const [call, ...others] = gateway.mail.calls;
    if (!call || others.length > 0) throw new Error('not one call');
    return call;
  };

  it('takes null for no labels', async () => {
    const path = `/v1/conversations/${id}/labels`;
    const body = { mailbox, add: ['VIP'], remove: null };
    expect((await gateway.ask(key, path, { method: 'POST', body })).status).toBe(200);
    expect(only().input).toEqual({ id, mailbox, add: ['VIP'], remove: [] });
  });

  it('in steps begins with the first, which is the one that is audited', async () => {
    const path = `/mailboxes/${newId('mbx')}/labels/vip`;
    const ask = (query: string) =>
      gateway.settings(workspace.admin, 'DELETE', `${path}?after=${query}`);
    expect(bodyOf(await ask('1'))).toMatchObject({ details: [{ field: 'after' }] });
    expect(gateway.mail.calls).toEqual([]);
    gateway.mail.answer = () => ({ body: { ok: true, conversations: 0, after: null } });
    expect((await ask('')).status).toBe(200);
  });

  it('answers the methods of its path to another one', async () => {
    const answer = await gateway.ask(key, '/v1/contacts', { method: 'PUT' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('is called with who asks, the validated input, and what belongs to the request', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const answer = await post({ 'x-request-id': 'my-own', traceparent });
    expect(answer.status).toBe(200);
    const { caller, input, request } = only();
    expect(input).toEqual({ id, mailbox, text: 'Hello' });
    expect(request).toMatchObject({
      ...{ operation: 'conversations.comment', idempotencyKey: 'a-good-key', preview: false },
      ...{ requestId: 'my-own', traceparent },
    });
    expect(request.deadlineMs - Date.now()).toBeLessThanOrEqual(10_000);
    expect(caller).toMatchObject({
      ...{ type: 'key', tenantId: workspace.id, source: 'api', keyId: idOfKey(key) },
      ...{
        kind: 'human',
        approval: null,
        admin: false,
        member: null,
        grants: { [mailbox]: 'write' },
      },
    });
  });

  it('hears of no Idempotency-Key where it takes none, and of no trace that is malformed', async () => {
    await gateway.ask(key, list, { headers: { 'idempotency-key': 'x', traceparent: '00-x-y-01' } });
    expect(only().request).toMatchObject({ idempotencyKey: null, traceparent: null });
  });

  it('is called by members in their own name', async () => {
    const body = { address: mailbox };
    expect((await gateway.settings(workspace.admin, 'POST', '/mailboxes', body)).status).toBe(200);
    expect(only()).toMatchObject({
      caller: { type: 'member', source: 'app', memberId: workspace.admin.id, role: 'admin' },
      input: { address: mailbox, automation: true, access: 'workspace' },
    });
  });

  it('is answered with its own status, headers and bytes', async () => {
    const body = Buffer.from('{ "text" :\n"é🐎" }');
    gateway.mail.answer = () => ({ status: 201, headers: { 'x-svc-idempotency': 'hit' }, body });
    const answer = await post();
    expect(answer).toMatchObject({ status: 201, text: body.toString() });
    expect(answer.headers).toMatchObject({
      'x-svc-idempotency': 'hit',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
    });
  });

  it('refuses in the words of the catalogue, in French, with the fields at fault', async () => {
    const violations = [{ field: 'text', message: { fr: 'autre texte attendu', en: 'another' } }];
    gateway.mail.answer = () => ({ status: 400, problem: 'INVALID_REQUEST', body: { violations } });
    expect(bodyOf(await post())).toEqual({
      error: 'Requête invalide. text : autre texte attendu.',
      code: 'INVALID_REQUEST',
      details: [{ field: 'text', code: 'MALFORMED', message: 'autre texte attendu' }],
      requestId: expect.any(String),
    });
  });

  it('refuses with headers of its own', async () => {
    const headers = { 'x-svc-idempotency': 'key-reused' };
    const refusal: MailAnswer = {
      status: 409,
      problem: 'IDEMPOTENCY_KEY_REUSED',
      headers,
      body: { violations: [] },
    };
    gateway.mail.answer = () => refusal;
    const answer = await post();
    expect(answer.status).toBe(409);
    expect(answer.headers).toMatchObject(headers);
  });

  it.each([
    [
      'fails',
      (): MailAnswer => ({ status: 500, problem: 'INTERNAL', body: { violations: [] } }),
      0,
    ],
    [
      'refuses in words that are in no catalogue',
      (): MailAnswer => ({ status: 418, problem: 'TEAPOT', body: { violations: [] } }),
      0,
    ],
    [
      'breaks',
      (): MailAnswer => {
        throw new Error('secret of the inside');
      },
      1,
    ],
    [
      'answers what is no refusal',
      (): MailAnswer => ({ status: 400, problem: 'INVALID_REQUEST', body: Buffer.from('{') }),
      1,
    ],
  ])('that %s is a 500 that says nothing but the request’s id', async (_name, answer, logged) => {
    gateway.mail.answer = answer;
    const failed = await post();
    expect(failed.status).toBe(500);
    expect(bodyOf(failed)).toEqual({
      error: problemFacts('INTERNAL').fr,
      code: 'INTERNAL',
      requestId: failed.headers['x-request-id'],
    });
    expect(gateway.log.filter((line) => line.includes('"level":"error"'))).toHaveLength(logged);
  });

  it('that nobody serves is a 503 to be tried again', async () => {
    await gateway.mailGoes();
    const answer = await post();
    await gateway.mailComes();
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(bodyOf(answer).error).toBe(problemFacts('SERVICE_UNAVAILABLE').fr);
    expect((await post()).status).toBe(200);
  });

  it('is counted by its id, whatever path it was asked by', async () => {
    await gateway.ask(key, list);
    await gateway.ask(key, '/v1/made-up');
    await gateway.restart();
    await gateway.ask(key, list);
    await gateway.ask(key, '/v1/made-up');
    const { text, headers } = await gateway.send('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    const count = (operation: string, outcome: number): string =>
      `postroom_operation_duration_seconds_count{service="gateway",operation="${operation}",outcome="${outcome}"}`;
    expect(text).toContain(`${count('conversations.list', 200)} 1`);
    expect(text).toContain(`${count('unknown', 404)} 1`);
    expect(text).not.toContain('made-up');
  });
});
