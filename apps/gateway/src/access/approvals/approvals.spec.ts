import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  newId,
  problemFacts,
  type ApprovalFiled,
  type ApprovalRequest,
  type ApprovalState,
} from '@postroom/contracts';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { Gateway, idOfKey, type SomeMember, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';
import { noPreview, type MailCall } from '../../testing/mail-stand-in.js';

const mailbox = 'support@acme.test';
const conversation = newId('cnv');
const violations: never[] = [];

let gateway: Gateway;
let workspace: SomeWorkspace;
let key: string;
let filedCount = 0;

beforeAll(async () => {
  gateway = await Gateway.start();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  workspace = await gateway.workspace();
  key = await agent();
  gateway.mail.calls.length = 0;
  gateway.mail.visible = [];
  gateway.mail.answer = () => ({ body: { ok: true, id: conversation } });
  gateway.mail.preview = {
    target: { type: 'conversation', id: conversation, version: 3 },
    within: { type: 'mailbox', id: mailbox },
    title: 'Invoice\u202e 42',
    difference: { before: { placement: 'inbox' }, after: { placement: 'archived' } },
  };
});

const agent = (scopes = ['read:conversations', 'write:conversations'] as const): Promise<string> =>
  gateway.key(workspace, {
    ...{ kind: 'agent', approval: 'required', scopes },
    ...{ grants: { [mailbox]: 'write' }, member: workspace.admin },
  });

const nextKey = (): string => `idempotency-${++filedCount}`;

const archive = (idempotencyKey: string, path = 'archive', more: object = {}): Promise<Answer> =>
  gateway.ask(key, `/v1/conversations/${conversation}/${path}`, {
    ...{ method: 'POST', headers: { 'idempotency-key': idempotencyKey } },
    body: { mailbox, ...more },
  });

const approvalIn = (answer: Answer): ApprovalRequest =>
  (bodyOf(answer) as unknown as ApprovalFiled).approval;

const filed = async (idempotencyKey = nextKey()): Promise<ApprovalRequest> => {
  const answer = await archive(idempotencyKey);
  expect(answer.status).toBe(202);
  return approvalIn(answer);
};

const decide = (
  { id }: { readonly id: string },
  verb: 'approve' | 'reject',
  member: SomeMember = workspace.admin,
): Promise<Answer> =>
  gateway.settings(member, 'POST', `/approvals/${id}/${verb}`, {
    ...(verb === 'reject' && { comment: 'Not this one' }),
  });

const shown = async ({ id }: { readonly id: string }): Promise<ApprovalRequest> =>
  approvalIn(await gateway.settings(workspace.admin, 'GET', `/approvals/${id}`));

/** Waits until an approval is in a state, and has its receipt where it is closed. */
const reaches = async (
  approval: { id: string },
  state: ApprovalState,
): Promise<ApprovalRequest> => {
  for (const untilMs = performance.now() + 240_000; performance.now() < untilMs; await sleep(50)) {
    const now = await shown(approval);
    if (now.state === state && now.receipt !== null) return now;
  }
  throw new Error(`the approval is not ${state}`);
};

const writes = (): readonly MailCall[] =>
  gateway.mail.calls.filter(
    ({ request }) => request.operation === 'conversations.archive' && !request.preview,
  );

const actions = async (): Promise<readonly string[]> =>
  (await gateway.audit(workspace)).map(({ action }) => action);

describe('a write of an agent that waits', () => {
  it('is looked at by its service, filed, and not done', async () => {
    const idempotencyKey = nextKey();
    const answer = await archive(idempotencyKey);
    expect(answer.status).toBe(202);
    expect(bodyOf(answer)).toEqual({
      approvalRequired: true,
      approval: {
        id: expect.stringMatching(/^apr_/),
        state: 'pending',
        operation: 'conversations.archive',
        method: 'POST',
        path: `/v1/conversations/${conversation}/archive`,
        summary: `Archive a conversation “Invoice  42” in ${mailbox}`,
        payload: { id: conversation, mailbox },
        payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        approvedPayload: null,
        target: { type: 'conversation', id: conversation, version: 3 },
        difference: { before: { placement: 'inbox' }, after: { placement: 'archived' } },
        requestedBy: { keyId: idOfKey(key), name: 'A key', client: null },
        channel: 'rest',
        idempotencyKey,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        ...{ decidedBy: null, decidedAt: null, comment: null, result: null, receipt: null },
      },
    });
    const { createdAt, expiresAt } = approvalIn(answer);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(72 * 3_600_000);
    expect(gateway.mail.calls).toMatchObject([{ request: { preview: true, idempotencyKey } }]);
    expect(await actions()).toEqual(['approvals.file']);
  });

  it('is the same approval when it is repeated, and refused for another payload', async () => {
    const idempotencyKey = nextKey();
    const { id } = await filed(idempotencyKey);
    const again = await archive(idempotencyKey);
    expect(again).toMatchObject({ status: 202, headers: { 'x-svc-idempotency': 'hit' } });
    expect(approvalIn(again).id).toBe(id);
    await gateway.rows('UPDATE approvals SET payload_hash = $2 WHERE id = $1', [id, 'another']);
    const other = await archive(idempotencyKey);
    expect(other).toMatchObject({ status: 409, headers: { 'x-svc-idempotency': 'key-reused' } });
    expect(gateway.mail.calls).toHaveLength(1);
  });

  it('is one approval when it is asked for several times at once', async () => {
    const idempotencyKey = nextKey();
    const all = await Promise.all(Array.from({ length: 5 }, () => archive(idempotencyKey)));
    expect(all.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(all.map((one) => approvalIn(one).id)).size).toBe(1);
    expect(await actions()).toEqual(['approvals.file']);
  });

  it('is refused as the service refuses it, and not filed', async () => {
    const refusal = { status: 404, problem: 'CONVERSATION_NOT_FOUND', body: { violations } };
    gateway.mail.answer = () => refusal;
    expect((await archive(nextKey())).status).toBe(404);
    await gateway.mailGoes();
    expect((await archive(nextKey())).status).toBe(503);
    await gateway.mailComes();
    expect(await actions()).toEqual([]);
  });

  it('is answered as it was done, where it was done before', async () => {
    const headers = { 'x-svc-idempotency': 'hit' };
    gateway.mail.answer = () => ({ headers, body: { ok: true } });
    expect(await archive(nextKey())).toMatchObject({ status: 200, headers });
    expect(await actions()).toEqual([]);
  });

  it('waits with ninety-nine others at most', async () => {
    const { id } = await filed();
    const columns = (
      await gateway.rows<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = 'access' AND table_name = 'approvals'
           AND column_name NOT IN ('id', 'idempotency_key')`,
      )
    ).map(({ name }) => name);
    await gateway.rows(
      `INSERT INTO approvals (id, idempotency_key, ${columns.join(', ')})
       SELECT id || n, idempotency_key || n, ${columns.join(', ')}
       FROM approvals, generate_series(1, 99) n WHERE id = $1`,
      [id],
    );
    const answer = await archive(nextKey());
    expect(answer.status).toBe(429);
    expect(bodyOf(answer).error).toBe(problemFacts('TOO_MANY_APPROVALS').fr);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    // A write that was already executed needs no slot.
    gateway.mail.answer = () => ({ headers: { 'x-svc-idempotency': 'hit' }, body: { ok: true } });
    expect((await archive(nextKey())).status).toBe(200);
  });

  it('counts among the bytes that its workspace stores and its key has recorded that day, and is refused beyond them', async () => {
    const before = nextKey();
    const { payload } = await filed(before);
    for (const quota of ['storedBytes', `recordedBytes ${idOfKey(key)}`]) {
      const of = [workspace.id, quota];
      const where = 'WHERE tenant_id = $1 AND quota = $2';
      const sum = `SELECT sum(amount) FROM quota_counters ${where}`;
      const [used] = await gateway.rows<{ sum: string }>(sum, of);
      expect(Number(used?.sum)).toBeGreaterThan(JSON.stringify(payload).length);
      const change = `UPDATE quota_counters SET amount = amount + $3 ${where}`;
      await gateway.rows(change, [...of, 1e15]);
      const answer = await archive(nextKey());
      expect([answer.status, bodyOf(answer)['code']]).toEqual([409, 'QUOTA_EXCEEDED']);
      expect((await archive(before)).status).toBe(202);
      await gateway.rows(change, [...of, -1e15]);
    }
  });

  it('tells an agent that may not read no more of its target than it said itself', async () => {
    const blind = await gateway.key(workspace, {
      ...{ kind: 'agent', approval: 'required', scopes: ['write:conversations'] },
      grants: { [mailbox]: 'write' },
    });
    key = blind;
    const { id, ...approval } = await filed();
    expect(approval).toMatchObject({
      summary: 'Archive a conversation',
      target: { id: conversation, version: null },
      difference: null,
    });
    expect(await shown({ id })).toMatchObject({ difference: { after: { placement: 'archived' } } });
    const own = await gateway.ask(blind, `/v1/approvals/${id}`);
    expect(approvalIn(own)).toEqual({ id, ...approval });
    const other = await gateway.ask(await agent(), `/v1/approvals/${id}`);
    expect(other.status).toBe(404);
    gateway.mail.answer = () => ({ body: { ok: true, subject: 'Private' } });
    await decide({ id }, 'approve');
    const done = await gateway.ask(blind, `/v1/approvals/${id}`);
    expect(approvalIn(done)).toMatchObject({ state: 'executed', result: { body: {} } });
    expect(done.text).not.toContain('Private');
  });
});

describe('a decision', () => {
  it('that approves carries the write out as the agent, and says who allowed it', async () => {
    const idempotencyKey = nextKey();
    const approval = await filed(idempotencyKey);
    const answer = await decide(approval, 'approve');
    expect(answer.status).toBe(200);
    expect(approvalIn(answer)).toMatchObject({
      state: 'executed',
      decidedBy: workspace.admin.email,
      result: { status: 200, body: { ok: true, id: conversation } },
    });
    expect(writes()).toMatchObject([
      {
        caller: {
          ...{ type: 'key', keyId: idOfKey(key), source: 'api' },
          decision: { approvalId: approval.id, memberId: workspace.admin.id, version: null },
        },
        input: approval.payload,
        request: { idempotencyKey, preview: false },
      },
    ]);
    expect(await actions()).toEqual(['approvals.file', 'approvals.approve']);
    const again = await archive(idempotencyKey);
    expect(again).toMatchObject({ status: 200, headers: { 'x-svc-idempotency': 'hit' } });
    expect(bodyOf(again)).toEqual({ ok: true, id: conversation });
  });

  it('that rejects ends it, and the agent is told why', async () => {
    const idempotencyKey = nextKey();
    const answer = await decide(await filed(idempotencyKey), 'reject');
    expect(approvalIn(answer)).toMatchObject({ state: 'rejected', comment: 'Not this one' });
    const again = await archive(idempotencyKey);
    expect(again.status).toBe(409);
    expect(approvalIn(again)).toMatchObject({ state: 'rejected', comment: 'Not this one' });
    expect(writes()).toEqual([]);
    expect(await actions()).toEqual(['approvals.file', 'approvals.reject']);
  });

  it('is one of several at once, and the others are told which', async () => {
    const approval = await filed();
    const other = await gateway.member(workspace, 'admin');
    const all = await Promise.all([
      decide(approval, 'approve'),
      decide(approval, 'approve'),
      decide(approval, 'reject', other),
      decide(approval, 'approve', other),
    ]);
    const taken = all.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(1);
    const late = all.filter(({ status }) => status === 409);
    expect(late.map((one) => bodyOf(one).error)).toEqual(Array(3).fill('APPROVAL_CLOSED'));
    for (const one of late)
      expect(approvalIn(one)).toMatchObject({ decidedBy: expect.any(String) });
    expect(writes().length).toBeLessThanOrEqual(1);
  });

  it('is a member’s who may approve, of the workspace, from its own pages', async () => {
    const approval = await filed();
    gateway.mail.visible = [mailbox];
    const member = await gateway.member(workspace);
    await gateway.rows('UPDATE members SET can_approve = false WHERE id = $1', [member.id]);
    expect((await decide(approval, 'approve', member)).status).toBe(403);
    const stranger = (await gateway.workspace()).admin;
    expect((await decide(approval, 'approve', stranger)).status).toBe(404);
    const path = `/settings/api/approvals/${approval.id}/approve`;
    const { cookie } = workspace.admin;
    const forged = { cookie, origin: 'https://elsewhere.test' };
    const ask = { method: 'POST', body: {} };
    expect((await gateway.send(path, { ...ask, headers: forged })).status).toBe(403);
    const withKey = { 'x-api-key': key };
    expect((await gateway.send(path, { ...ask, headers: withKey })).status).toBe(401);
    expect(await shown(approval)).toMatchObject({ state: 'pending' });
  });

  it('is of those who may see the mailbox, as is the list', async () => {
    const approval = await filed();
    const member = await gateway.member(workspace);
    const list = async (): Promise<unknown> =>
      bodyOf(await gateway.settings(member, 'GET', '/approvals?state=pending'))['items'];
    expect(await list()).toEqual([]);
    expect((await decide(approval, 'approve', member)).status).toBe(404);
    gateway.mail.visible = [mailbox];
    expect(await list()).toMatchObject([{ id: approval.id }]);
    expect((await decide(approval, 'approve', member)).status).toBe(200);
  });

  it('is of the one member whose own the resource would be', async () => {
    const [owner, other] = [await gateway.member(workspace), await gateway.member(workspace)];
    gateway.mail.visible = [mailbox];
    gateway.mail.preview = { ...noPreview, within: { type: 'member', id: owner.id } };
    const approval = await filed();
    const listed = async (who: SomeMember): Promise<unknown> =>
      bodyOf(await gateway.settings(who, 'GET', '/approvals?state=pending'))['items'];
    expect(await listed(other)).toEqual([]);
    expect((await decide(approval, 'approve', other)).status).toBe(404);
    expect(await listed(owner)).toMatchObject([{ id: approval.id }]);
    expect((await decide(approval, 'approve', owner)).status).toBe(200);
  });

  it.each([
    ['CONVERSATION_NOT_FOUND', 404, 'refused'],
    ['VERSION_CONFLICT', 409, 'refused'],
    ['INVALID_REQUEST', 400, 'refused'],
    ['TOO_MANY_LABELS', 400, 'failed'],
    ['IDEMPOTENCY_KEY_REUSED', 409, 'failed'],
  ] as const)('whose write answers %s %i ends as %s', async (problem, status, state) => {
    const idempotencyKey = nextKey();
    const approval = await filed(idempotencyKey);
    gateway.mail.answer = () => ({ status, problem, body: { violations } });
    expect(approvalIn(await decide(approval, 'approve'))).toMatchObject({
      state,
      result: { status, body: { error: problemFacts(problem).fr } },
    });
    const again = await archive(idempotencyKey);
    expect(again.status).toBe(state === 'failed' ? status : 409);
    expect(await actions()).toContain(state === 'failed' ? 'approvals.fail' : 'approvals.refuse');
  });

  it('is refused where the key has lost a right meanwhile', async () => {
    const approval = await filed();
    await gateway.change(`UPDATE keys SET grants = '{}' WHERE id = $1`, [idOfKey(key)]);
    expect(approvalIn(await decide(approval, 'approve'))).toMatchObject({
      state: 'refused',
      result: { status: 403 },
    });
    expect(writes()).toEqual([]);
  });

  it('is carried out after the end that it came before', async () => {
    const approval = await filed(nextKey());
    const outage = { problem: 'SERVICE_UNAVAILABLE', body: { violations: [] } } as const;
    gateway.mail.answer = () => outage;
    expect(await decide(approval, 'approve')).toMatchObject({ status: 200 });
    await gateway.rows('UPDATE approvals SET expires_at = now() WHERE id = $1', [approval.id]);
    gateway.mail.answer = () => ({ body: { ok: true } });
    const { receipt } = await reaches(approval, 'executed');
    expect(receipt).not.toBeNull();
  });

  it('comes too late when the approval has expired', async () => {
    const idempotencyKey = nextKey();
    const approval = await filed(idempotencyKey);
    await gateway.rows('UPDATE approvals SET expires_at = now() WHERE id = $1', [approval.id]);
    const receipt = expect.any(String) as unknown;
    expect(await shown(approval)).toMatchObject({ state: 'expired', receipt });
    const repeated = await archive(idempotencyKey);
    expect(repeated.status).toBe(409);
    expect(approvalIn(repeated)).toMatchObject({ state: 'expired' });
    const answer = await decide(approval, 'approve');
    expect(answer.status).toBe(409);
    expect(await reaches(approval, 'expired')).toMatchObject({ decidedBy: null });
    expect(writes()).toEqual([]);
  });

  it('is executed when the service is back', async () => {
    const approval = await filed();
    await gateway.mailGoes();
    const answer = await decide(approval, 'approve');
    expect(approvalIn(answer)).toMatchObject({ state: 'executing', result: null });
    await gateway.mailComes();
    await reaches(approval, 'executed');
  });

  it('is executed once after a crash at any step', async () => {
    const [before, after] = [await filed(), await filed()];
    const decided = `decided_by_id = '${workspace.admin.id}', decided_at = now()`;
    // Decided, and nothing begun.
    await gateway.rows(`UPDATE approvals SET state = 'approved', ${decided} WHERE id = $1`, [
      before.id,
    ]);
    // Executed by the service, whose reply was lost; the key is gone since.
    await gateway.rows(
      `UPDATE approvals SET state = 'executing', attempts = 1, ${decided} WHERE id = $1`,
      [after.id],
    );
    gateway.mail.answer = ({ request, caller }) => ({
      body: { ok: true },
      headers:
        request.preview && JSON.stringify(caller).includes(after.id)
          ? { 'x-svc-idempotency': 'hit' }
          : {},
    });
    await reaches(before, 'executed');
    await reaches(after, 'executed');
    expect(writes().map(({ caller }) => JSON.stringify(caller).includes(before.id))).toEqual([
      true,
    ]);
  });
});

describe('a key that is revoked', () => {
  it('takes what it has pending with it', async () => {
    const idempotencyKey = nextKey();
    const approval = await filed(idempotencyKey);
    await gateway.settings(workspace.admin, 'DELETE', `/keys/${idOfKey(key)}`);
    const receipt = expect.any(String) as unknown;
    expect(await shown(approval)).toMatchObject({ state: 'cancelled', receipt });
    expect((await decide(approval, 'approve')).status).toBe(409);
    expect(writes()).toEqual([]);
    const cancelled = (await gateway.audit(workspace)).filter(
      ({ action }) => action === 'approvals.cancel',
    );
    expect(cancelled).toMatchObject([{ subjectId: approval.id }]);
  });
});

describe('a receipt', () => {
  it('says what became of an approval, and is verified with the published keys', async () => {
    const done = approvalIn(await decide(await filed(), 'approve'));
    const rejected = approvalIn(await decide(await filed(), 'reject'));
    const published = await gateway.send('/public/.well-known/jwks.json');
    expect(published.status).toBe(200);
    const keys = createLocalJWKSet(bodyOf(published) as unknown as JSONWebKeySet);
    const claims = async ({ receipt }: ApprovalRequest): Promise<unknown> =>
      JSON.parse(Buffer.from((await compactVerify(receipt ?? '', keys)).payload).toString());
    expect(await claims(done)).toEqual({
      jti: done.id,
      iat: expect.any(Number),
      operation: 'conversations.archive',
      payloadHash: done.payloadHash,
      decision: 'approved',
      decidedBy: workspace.admin.email,
      decidedAt: done.decidedAt,
      status: 200,
    });
    expect(await claims(rejected)).toMatchObject({ decision: 'rejected', status: null });
    expect(published.text).not.toContain('"d"');
  });
});

describe('what people and operators see of agents', () => {
  it('counts by key, operation and day what became of their writes', async () => {
    const today = (): string => new Date().toISOString().slice(0, 10);
    const begun = today();
    const [first, second] = [await filed(), await filed()];
    await filed();
    await decide(first, 'approve');
    await decide(second, 'reject');
    const answer = await gateway.settings(workspace.admin, 'GET', '/agents');
    expect(answer.status).toBe(200);
    const items = bodyOf(answer)['items'] as { readonly day: string }[];
    // All in one day, unless midnight comes between them.
    const [day = begun] = items.map((item) => item.day);
    expect([begun, today()]).toContain(day);
    expect(items).toEqual([
      {
        ...{ keyId: idOfKey(key), name: 'A key', operation: 'conversations.archive', day },
        ...{ filed: 3, approved: 1, rejected: 1, expired: 0, refused: 0, failed: 0, executed: 1 },
        medianDecisionMs: expect.any(Number),
      },
    ]);
    const member = await gateway.member(workspace);
    expect((await gateway.settings(member, 'GET', '/agents')).status).toBe(403);
  });

  it('has the queue among the metrics and the volumes', async () => {
    const [approved] = [await filed(), await filed()];
    await decide(approved, 'approve');
    const { text } = await gateway.send('/metrics');
    expect(text).toMatch(/postroom_approvals_pending [1-9]/);
    expect(text).toMatch(/postroom_approvals_oldest_seconds [0-9]/);
    expect(text).toMatch(/postroom_approval_decision_seconds_count\{decision="approved"\} [1-9]/);
    gateway.mail.answer = () => ({ body: { counts: [] } });
    const reader = await gateway.key(workspace, { scopes: ['read:analytics'] });
    const summary = bodyOf(await gateway.ask(reader, '/v1/analytics/summary'))['summary'];
    expect(summary).toMatchObject({
      volumes: { approvals: { pending: 1, approved: 1, rejected: 0 } },
    });
  });
});

describe('the list', () => {
  it('goes through all approvals, newest first', async () => {
    gateway.mail.preview = noPreview;
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await filed()).id);
    const found: string[] = [];
    for (let token: string | null = ''; token !== null;) {
      const more: string = token === '' ? '' : `&pageToken=${token}`;
      const answer = await gateway.settings(workspace.admin, 'GET', `/approvals?limit=2${more}`);
      const page = bodyOf(answer) as unknown as {
        items: ApprovalRequest[];
        nextPageToken: string | null;
      };
      found.push(...page.items.map(({ id }) => id));
      token = page.nextPageToken;
    }
    expect(found).toEqual(ids);
  });
});
