import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  conversations,
  eventSubscriptions,
  invocations,
  mcp,
  newId,
  type FiledCall,
  type InvocationAnswer,
  type InvokeOperation,
  type ProblemCode,
} from '@postroom/contracts';
import type { KeyCaller } from '@postroom/access';
import { aKey, aMember } from '@postroom/service-testing';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';

const mailbox = 'support@acme.test';
const id = newId('cnv');
const comment = {
  operation: conversations.comment.id,
  input: { id, mailbox: 'Support@Acme.test', text: 'Hello' },
  idempotencyKey: 'a-good-key',
};
const service = invocations.invoke.calledBy;

describe('access.invoke', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    const scopes = ['read:conversations', 'write:conversations'] as const;
    key = await gateway.key(workspace, { scopes, grants: { [mailbox]: 'write' } });
    gateway.mail.calls.length = 0;
    gateway.mail.answer = () => ({ body: { ok: true } });
  });

  const callerOf = (token: string, tenantId = workspace.id): KeyCaller =>
    aKey({ tenantId, keyId: idOfKey(token), scopes: [] });

  const invoke = async (
    asked: InvokeOperation,
    { caller = callerOf(key), requestId = 'a-request' } = {},
  ): Promise<InvocationAnswer> => {
    const client = gateway.client(service);
    const reply = await client.call(invocations.invoke, caller, asked, { requestId });
    if (reply.problem !== null) throw new Error(reply.problem);
    return JSON.parse(reply.body.toString()) as InvocationAnswer;
  };

  it('runs an operation with the rights that the key has now, and says that an agent tool asked', async () => {
    expect(await invoke(comment)).toEqual({
      status: 200,
      headers: {},
      body: { ok: true },
      problem: null,
    });
    expect(gateway.mail.calls).toMatchObject([
      {
        caller: {
          keyId: idOfKey(key),
          source: 'mcp',
          scopes: ['read:conversations', 'write:conversations'],
        },
        input: { id, mailbox, text: 'Hello' },
        request: { idempotencyKey: 'a-good-key', requestId: 'a-request', preview: false },
      },
    ]);
  });

  it('answers refusals with their code, the check that refused, and the fields at fault', async () => {
    const readOnly = await gateway.key(workspace, { grants: { [mailbox]: 'read' } });
    const caller = callerOf(readOnly);
    expect(await invoke(comment, { caller })).toMatchObject({
      status: 403,
      body: null,
      problem: { code: 'SCOPE_MISSING', rule: 'scope' },
    });
    expect(await invoke({ ...comment, input: { id, mailbox } })).toMatchObject({
      status: 400,
      problem: { code: 'INVALID_REQUEST', rule: 'input', violations: [{ field: 'text' }] },
    });
    const { idempotencyKey: _, ...keyless } = comment;
    expect(await invoke(keyless)).toMatchObject({
      problem: { code: 'IDEMPOTENCY_KEY_REQUIRED', rule: 'idempotency_key' },
    });
    const elsewhere = { ...comment.input, mailbox: 'sales@acme.test' };
    expect(await invoke({ ...comment, input: elsewhere })).toMatchObject({
      problem: { code: 'MAILBOX_FORBIDDEN', rule: 'mailbox' },
    });
    const violations: never[] = [];
    gateway.mail.answer = () => ({
      status: 404,
      problem: 'CONVERSATION_NOT_FOUND',
      body: { violations },
    });
    expect(await invoke(comment)).toMatchObject({
      status: 404,
      problem: { code: 'CONVERSATION_NOT_FOUND', rule: 'operation' },
    });
  });

  it('asks for a mailbox that the operation does not have, and for what its caller found wrong', async () => {
    const reach = (reaching: Readonly<Record<string, unknown>>) => invoke({ ...comment, reaching });
    expect(await reach({ mailbox: 'Support@acme.test' })).toMatchObject({ problem: null });
    expect(await reach({ mailbox: 'sales@acme.test' })).toMatchObject({
      problem: { code: 'MAILBOX_FORBIDDEN', rule: 'mailbox' },
    });
    expect(await reach({})).toMatchObject({
      problem: { code: 'INVALID_REQUEST', rule: 'input', violations: [{ field: 'mailbox' }] },
    });
    const fault = { field: 'arguments', message: { fr: 'non', en: 'no' } };
    gateway.mail.calls.length = 0;
    expect(await invoke({ ...comment, faults: [fault] })).toMatchObject({
      problem: { rule: 'input', violations: [fault] },
    });
    expect(gateway.mail.calls).toEqual([]);
  });

  it('has the secret that an agent chooses for its webhook pass the bus encrypted, all the way', async () => {
    const secret = `whsec_${'c2VjcmV0'.repeat(4)}`;
    const input = { url: 'https://agent.example/', type: 'conversation.received', secret };
    const asked = jest.spyOn(gateway.bus, 'request');
    await gateway.ask(key, '/mcp/latest', { method: 'POST', body: { params: { secret } } });
    const answer = await invoke({ operation: eventSubscriptions.subscribe.id, input });
    const requests = asked.mock.calls.map(([, request]) => request);
    asked.mockRestore();
    expect(answer.problem).toBeNull();
    const all = [mcp.latest, invocations.invoke, eventSubscriptions.subscribe];
    expect(requests.map(({ operation }) => operation)).toEqual(all.map(({ id }) => id));
    for (const request of requests) {
      expect(JSON.stringify(request)).not.toContain(secret);
      expect(request.input.toString()).not.toContain(secret);
    }
  });

  it('refuses a key that was revoked, or is of another workspace', async () => {
    const other = await gateway.workspace();
    const foreign = callerOf(key, other.id);
    await expect(invoke(comment, { caller: foreign })).rejects.toThrow('UNAUTHENTICATED');
    await gateway.change('UPDATE keys SET revoked_at = now() WHERE id = $1', [idOfKey(key)]);
    await expect(invoke(comment)).rejects.toThrow('UNAUTHENTICATED');
    expect(gateway.mail.calls).toEqual([]);
  });

  it('serves nothing but the public API, and no one but a key', async () => {
    const settings = { operation: 'keys.list', input: {} };
    await expect(invoke(settings)).rejects.toThrow('INTERNAL');
    const client = gateway.client(service);
    const member = aMember({ tenantId: workspace.id });
    const options = { requestId: 'a-request' };
    const reply = await client.call(invocations.invoke, member, comment, options);
    expect(reply.problem).toBe('UNAUTHENTICATED');
  });

  it('keeps one audit record of every call, of refused and failed ones too', async () => {
    const call = { ...comment, tool: 'a_tool' };
    await invoke(call, { requestId: 'done' });
    await invoke({ ...call, input: {} }, { requestId: 'refused' });
    const problem = (code: ProblemCode) => () => ({ problem: code, body: { violations: [] } });
    gateway.mail.answer = problem('SERVICE_UNAVAILABLE');
    await invoke(call, { requestId: 'unavailable' });
    gateway.mail.answer = problem('INTERNAL');
    await expect(invoke(call, { requestId: 'broken' })).rejects.toThrow('INTERNAL');
    await gateway
      .client(service)
      .call(
        invocations.recordRefused,
        callerOf(key),
        { tool: 'no_tool' },
        { requestId: 'unknown' },
      );
    await gateway.change('UPDATE keys SET revoked_at = now() WHERE id = $1', [idOfKey(key)]);
    await expect(invoke(call, { requestId: 'revoked' })).rejects.toThrow('UNAUTHENTICATED');
    // Written after the answers; those of one millisecond are in no order.
    let records = await gateway.audit(workspace);
    while (!records.some(({ requestId }) => requestId === 'revoked'))
      records = await gateway.audit(workspace);
    const subjectId = 'a_tool write:conversations';
    const actorId = idOfKey(key);
    const of = (requestId: string) => records.filter((one) => one.requestId === requestId);
    const kept = (requestId: string, action: string) => [{ action, subjectId, actorId, requestId }];
    expect(of('done')).toEqual(kept('done', 'tool.done'));
    expect(of('refused')).toEqual(kept('refused', 'tool.refused'));
    expect(of('unavailable')).toEqual(kept('unavailable', 'tool.failed'));
    expect(of('broken')).toEqual(kept('broken', 'tool.failed'));
    expect(of('unknown')).toMatchObject([
      { action: 'tool.refused', subjectId: 'no_tool', actorId },
    ]);
    expect(of('revoked')).toEqual(kept('revoked', 'tool.refused'));
    const everything =
      'SELECT to_jsonb(r) FROM audit_records r UNION ALL SELECT to_jsonb(e) FROM audit_entries e';
    expect(JSON.stringify(await gateway.rows(everything))).not.toContain(comment.input.text);
  });

  describe('of a write that waits', () => {
    let agent: KeyCaller;
    const filedCall = async (id: string, caller = agent): Promise<FiledCall | string> => {
      const options = { requestId: 'a-request' };
      const client = gateway.client(service);
      const reply = await client.call(invocations.filedCall, caller, { id }, options);
      return reply.problem ?? (JSON.parse(reply.body.toString()) as FiledCall);
    };
    const withdraw = (id: string, caller = agent) =>
      gateway
        .client(service)
        .call(invocations.withdraw, caller, { id }, { requestId: 'withdrawn' })
        .then(({ problem }) => problem);
    const derived = { ...comment, keyIsDerived: true };
    const file = async (): Promise<string> => {
      const { status, body } = await invoke(derived, { caller: agent });
      expect(status).toBe(202);
      const { approval } = body as { approval: { id: string } };
      return approval.id;
    };
    const decide = (id: string, verb: string) =>
      gateway.settings(workspace.admin, 'POST', `/approvals/${id}/${verb}`, { comment: 'As said' });

    beforeEach(async () => {
      const scopes = ['read:conversations', 'write:conversations'] as const;
      const grants = { [mailbox]: 'write' } as const;
      const rights = { kind: 'agent', approval: 'required', member: workspace.admin } as const;
      agent = callerOf(await gateway.key(workspace, { scopes, grants, ...rights }));
      gateway.mail.preview = {
        target: { type: 'conversation', id, version: 3 },
        within: { type: 'mailbox', id: mailbox },
        ...{ title: 'A mail', difference: { before: null, after: { text: 'Hello' } } },
      };
    });

    it('tells the key that filed it alone what became of it, in the words of a repeat', async () => {
      const filed = await file();
      const open = { operation: comment.operation, state: 'pending', answer: null };
      expect(await filedCall(filed)).toMatchObject(open);
      for (const [other, caller] of [
        ...[filed, newId('apr'), 'x'].map((one) => [one, callerOf(key)] as const),
        [newId('apr'), agent] as const,
      ])
        expect(await filedCall(other, caller)).toMatch(/^(APPROVAL_NOT_FOUND|INVALID_REQUEST)$/);
      await decide(filed, 'approve');
      const answer = { status: 200, body: { ok: true }, problem: null };
      expect(await filedCall(filed)).toMatchObject({ state: 'executed', answer });
      // It was told, so that the same call is soon meant anew.
      const told = 'SELECT answered_at IS NOT NULL AS told FROM approvals WHERE id = $1';
      expect(await gateway.rows(told, [filed])).toEqual([{ told: true }]);
    });

    it('tells a key that was narrowed since nothing of what was written', async () => {
      const filed = await file();
      await decide(filed, 'approve');
      const body = { scopes: ['read:contacts'] };
      await gateway.settings(workspace.admin, 'PATCH', `/keys/${agent.keyId}`, body);
      const answer = { body: null, problem: { code: 'SCOPE_MISSING' } };
      expect(await filedCall(filed)).toMatchObject({ state: 'executed', answer });
    });

    it('tells the comment of the person who has rejected it', async () => {
      const filed = await file();
      await decide(filed, 'reject');
      expect(await filedCall(filed)).toMatchObject({
        state: 'rejected',
        answer: { status: 409, problem: { fields: { approval: { comment: 'As said' } } } },
      });
    });

    it('is withdrawn by that key until it is decided, and filed anew after that', async () => {
      const filed = await file();
      expect(await withdraw(filed, callerOf(key))).toBe('APPROVAL_NOT_FOUND');
      expect(await filedCall(filed)).toMatchObject({ state: 'pending' });
      expect(await withdraw(filed)).toBeNull();
      expect(await filedCall(filed)).toMatchObject({ state: 'cancelled' });
      expect((await decide(filed, 'approve')).status).toBe(409);
      const records = await gateway.audit(workspace);
      expect(records.filter(({ requestId }) => requestId === 'withdrawn')).toMatchObject([
        { action: 'approvals.cancel', subjectId: filed, actorId: agent.keyId },
      ]);
      const told = await gateway.rows<{ type: string }>(
        `SELECT type FROM stream_events WHERE tenant_id = $1 AND data LIKE '%' || $2 || '%' ORDER BY position`,
        [workspace.id, filed],
      );
      expect(told.map(({ type }) => type)).toEqual(['approval.filed', 'approval.cancelled']);
      const anew = await file();
      expect(anew).not.toBe(filed);
      await decide(anew, 'approve');
      expect(await withdraw(anew)).toBeNull();
      expect(await filedCall(anew)).toMatchObject({ state: 'executed' });
    });
  });

  it('says in the audit how long a call took', async () => {
    gateway.mail.answer = async () => {
      await sleep(50);
      return { body: { ok: true } };
    };
    await invoke({ ...comment, tool: 'a_slow_tool' });
    const took = (): Promise<{ ms: number }[]> =>
      gateway.rows(
        `SELECT duration_ms AS ms FROM audit_records WHERE tenant_id = $1 AND subject_id LIKE $2
         UNION ALL
         SELECT duration_ms FROM audit_entries WHERE tenant_id = $1 AND subject_id LIKE $2`,
        [workspace.id, 'a_slow_tool%'],
      );
    let found = await took();
    while (found.length === 0) found = await took();
    expect(found).toEqual([{ ms: expect.any(Number) }]);
    expect(found[0]?.ms).toBeGreaterThanOrEqual(45);
  });
});
