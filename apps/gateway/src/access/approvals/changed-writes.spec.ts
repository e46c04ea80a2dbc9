import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type ApprovalFiled, type ApprovalRequest } from '@postroom/contracts';
import { canonicalJson } from '@postroom/operations';
import { decodeJwt } from 'jose';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';

const mailbox = 'support@acme.test';
const conversation = newId('cnv');

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
  key = await gateway.key(workspace, {
    ...{ kind: 'agent', approval: 'required', member: workspace.admin },
    ...{ scopes: ['read:conversations', 'write:conversations'], grants: { [mailbox]: 'write' } },
  });
  gateway.mail.calls.length = 0;
  gateway.mail.answer = () => ({ body: { ok: true, id: conversation } });
  gateway.mail.preview = {
    target: { type: 'conversation', id: conversation, version: 3 },
    within: { type: 'mailbox', id: mailbox },
    title: 'Invoice',
    difference: { before: { commentCount: 0 }, after: { commentCount: 1 } },
  };
});

const comment = (text: string, idempotencyKey: string): Promise<Answer> =>
  gateway.ask(key, `/v1/conversations/${conversation}/comment`, {
    ...{ method: 'POST', headers: { 'idempotency-key': idempotencyKey } },
    body: { mailbox, text },
  });
const filed = async (idempotencyKey = `changed-${++filedCount}`): Promise<ApprovalRequest> =>
  (bodyOf(await comment('Hi', idempotencyKey)) as unknown as ApprovalFiled).approval;
const approve = ({ id }: { id: string }, payload?: object): Promise<Answer> =>
  gateway.settings(workspace.admin, 'POST', `/approvals/${id}/approve`, {
    ...(payload && { payload }),
  });
const hashOf = (input: object): string => hash('sha256', canonicalJson(input));
const done = () => gateway.mail.calls.filter(({ request }) => !request.preview);

describe('a write that is approved with changes', () => {
  it('is done as it was changed, and the agent’s repeat gets its outcome', async () => {
    const idempotencyKey = `changed-${++filedCount}`;
    const before = await filed(idempotencyKey);
    const { approval } = bodyOf(
      await approve(before, { text: 'Hello' }),
    ) as unknown as ApprovalFiled;
    const changed = { id: conversation, mailbox, text: 'Hello' };
    expect(approval).toMatchObject({
      ...{ state: 'executed', payload: before.payload, payloadHash: before.payloadHash },
      ...{ approvedPayload: changed, difference: { after: { comment: 'Hello' } } },
    });
    expect(decodeJwt(approval.receipt ?? '')).toMatchObject({
      payloadHash: hashOf(changed),
      filedPayloadHash: before.payloadHash,
    });
    expect(done()).toMatchObject([
      { input: changed, caller: { decision: { fingerprint: expect.any(String) } } },
    ]);
    expect(await comment('Hi', idempotencyKey)).toMatchObject({
      ...{ status: 200, headers: { 'x-svc-idempotency': 'hit' } },
    });
    expect((await comment('Hello', idempotencyKey)).status).toBe(409);
  });

  it('stays in its place, judged as the agent’s own and as the member’s', async () => {
    const approval = await filed();
    const wrong = [
      [{ text: 'x', mailbox: 'sales@acme.test' }, 400],
      [{ text: 'x', id: newId('cnv') }, 400],
      [{ text: '' }, 400],
      [{ text: 'x', more: 1 }, 400],
      [{}, 400],
    ] as const;
    for (const [payload, status] of wrong)
      expect([payload, (await approve(approval, payload)).status]).toEqual([payload, status]);
    gateway.mail.answer = () => ({
      ...{ status: 404, problem: 'CONVERSATION_NOT_FOUND', body: { violations: [] } },
    });
    expect((await approve(approval, { text: 'x' })).status).toBe(404);
    gateway.mail.answer = () => ({ body: { ok: true, id: conversation } });
    const other = await filed();
    gateway.mail.answer = ({ caller }) =>
      caller.type === 'member'
        ? { status: 403, problem: 'MAILBOX_FORBIDDEN', body: { violations: [] } }
        : { body: { ok: true, id: conversation } };
    expect((await approve(other, { text: 'x' })).status).toBe(403);
    expect((await approve(other)).status).toBe(200);
    gateway.mail.answer = () => ({ body: { ok: true, id: conversation } });
    const writes = done().length;
    const { preview } = gateway.mail;
    const elsewhere = { type: 'conversation', id: newId('cnv'), version: 1 };
    for (const moved of [
      { target: elsewhere },
      { within: { type: 'mailbox', id: 'a@acme.test' } },
    ]) {
      gateway.mail.preview = { ...preview, ...moved };
      expect((await approve(approval, { text: 'x' })).status).toBe(400);
    }
    expect(done()).toHaveLength(writes);
  });

  it('is one of two that are made at once, and the other decider is told which', async () => {
    const approval = await filed();
    const texts = ['One', 'Other'];
    const answers = await Promise.all(texts.map((text) => approve(approval, { text })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409);
    const won = answers.findIndex(({ status }) => status === 200);
    expect(bodyOf(lost as Answer)['approval']).toMatchObject({
      approvedPayload: { text: texts[won] },
    });
    expect(done().filter(({ input }) => input['text'] === texts[won])).toHaveLength(1);
  });
});

describe('several approvals', () => {
  const list = async (query: string): Promise<Record<string, unknown>> =>
    bodyOf(await gateway.settings(workspace.admin, 'GET', `/approvals?${query}`));
  const decide = async (ids: readonly string[], more: object): Promise<Answer> =>
    gateway.settings(workspace.admin, 'POST', '/approvals/decide', { ids, ...more });

  it('are decided about at once, with an answer for each', async () => {
    const open = [await filed(), await filed()];
    const closed = await filed();
    await approve(closed);
    const ids = [...open.map(({ id }) => id), closed.id, newId('apr')];
    expect((await decide(ids, { decision: 'reject' })).status).toBe(400);
    const answer = await decide(ids, { decision: 'reject', comment: 'No' });
    expect(bodyOf(answer)['items']).toEqual([
      ...open.map(({ id }) => ({ id, state: 'rejected', code: null })),
      { id: closed.id, state: 'executed', code: 'APPROVAL_CLOSED' },
      { id: ids[3], state: null, code: 'APPROVAL_NOT_FOUND' },
    ]);
    expect(await filed()).toMatchObject({ state: 'pending' });
  });

  it('are listed by states, mailbox, operation and target, and counted', async () => {
    const [pending, approved] = [await filed(), await filed()];
    await approve(approved);
    const ids = async (query: string) =>
      ((await list(query))['items'] as ApprovalRequest[]).map(({ id }) => id);
    const both = [approved.id, pending.id];
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['state=closed', [approved.id]],
      ['state=open', [pending.id]],
      ['state=pending,executed', both],
      [`state=closed,pending&mailbox=${mailbox}`, both],
      ['mailbox=sales@acme.test', []],
      ['operation=conversations.comment', both],
      ['operation=drafts.create', []],
      [`target=${conversation}&state=pending`, [pending.id]],
      [`target=${newId('cnv')}`, []],
    ];
    for (const [query, expected] of cases)
      expect([query, await ids(query)]).toEqual([query, expected]);
    const { counts } = await list('state=pending');
    expect(counts).toEqual(
      expect.arrayContaining([
        { state: 'pending', approvals: 1 },
        { state: 'executed', approvals: 1 },
      ]),
    );
    expect(await list('state=nothing')).toMatchObject({ details: [{ field: 'state' }] });
  });
});
