import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@postroom/testing/repetitions';
import { type Answer, send } from './http.js';
import { type Json, McpClient, type ToolResult } from './mcp-client.js';
import type { ConversationItem } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const scopes = [
  'read:conversations',
  'write:conversations',
  'drafts:write',
  'read:contacts',
  'write:contacts',
  'read:calendar',
  'write:calendar',
  'read:tasks',
  'write:tasks',
];

const bodyOf = ({ text }: Answer): Json => JSON.parse(text) as Json;
const approvalOf = ({ structuredContent }: ToolResult): Json =>
  structuredContent['approval'] as Json;

describe('an agent whose writes wait', () => {
  let workplace: Workplace;
  let mailbox: string;
  let human: OwnKey;
  let agent: OwnKey;
  let client: McpClient;

  beforeAll(async () => {
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    human = await workplace.keyFor(mailbox, { scopes });
    agent = await workplace.keyFor(mailbox, {
      ...{ kind: 'agent', approval: 'required', scopes },
      member: workplace.tenant.member.email,
    });
    client = new McpClient(workplace.product, agent.key);
  });

  const decide = (approval: Json, decision: 'approve' | 'reject', comment: string) =>
    workplace.settings.post(`/approvals/${String(approval['id'])}/${decision}`, { comment });
  const drafts = async (): Promise<readonly Json[]> =>
    bodyOf(await human.get('/v1/drafts', { mailbox, limit: 100 }))['drafts'] as Json[];
  const draft = (subject: string = randomUUID()) => ({ mailbox, subject, body: 'Hello' });

  it('is told that nothing was written, and asks again with the same call', async () => {
    const args = draft();
    const filed = await client.call('svc_draft_create', args);
    expect(filed).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: expect.stringContaining('nothing has been written') }],
      structuredContent: {
        approvalRequired: true,
        approval: { state: 'pending', channel: 'mcp', operation: 'drafts.create' },
      },
    });
    const { subject, ...rest } = args;
    const again = await client.call('svc_draft_create', { ...rest, subject });
    expect(approvalOf(again)['id']).toBe(approvalOf(filed)['id']);
    expect((await drafts()).some((one) => one['subject'] === args.subject)).toBe(false);
  });

  it('is shown to reviewers with the name that its client gives itself', async () => {
    const clientOf = async (filed: ToolResult): Promise<unknown> => {
      const path = `/approvals/${String(approvalOf(filed)['id'])}`;
      const approval = bodyOf(await workplace.settings.get(path))['approval'] as Json;
      return (approval['requestedBy'] as Json)['client'];
    };
    const byHeader = await client.call('svc_draft_create', draft(), { 'User-Agent': 'an-agent/2' });
    expect(await clientOf(byHeader)).toBe('an-agent/2');
    const { result } = await client.ask('tools/call', {
      ...{ name: 'svc_draft_create', arguments: draft() },
      _meta: {
        'io.modelcontextprotocol/clientInfo': { name: 'Ada\u202e\nsays yes', version: '1' },
      },
    });
    expect(await clientOf(result as unknown as ToolResult)).toBe('Ada says yes 1');
    const long = await client.call('svc_draft_create', draft(), {
      'User-Agent': 'x'.repeat(8_000),
    });
    expect(await clientOf(long)).toBe(`${'x'.repeat(100)}…`);
  });

  it('is answered what was written once a person has approved, and it is written once', async () => {
    const args = draft();
    const filed = await client.call('svc_draft_create', args);
    expect((await decide(approvalOf(filed), 'approve', 'fine')).status).toBe(200);
    for (let i = 0; i < 2; i++) {
      const done = await client.call('svc_draft_create', args);
      expect(done).toMatchObject({
        isError: false,
        content: [{ text: expect.stringContaining('nothing was written now') }],
        structuredContent: { draft: { subject: args.subject, source: 'mcp' } },
      });
    }
    const written = (await drafts()).filter((one) => one['subject'] === args.subject);
    expect(written).toHaveLength(1);
  });

  it('files the same call anew once it was told that it was refused, or its target has changed', async () => {
    const made = bodyOf(await human.post('/v1/drafts', { mailbox, subject: randomUUID() }));
    const { id } = made['draft'] as { readonly id: string };
    const change = (subject: string) =>
      human.request('PATCH', `/v1/drafts/${id}`, JSON.stringify({ mailbox, subject }));
    const ask = () => client.call('svc_draft_update', { id, mailbox, body: 'From the agent' });
    const first = await ask();
    await change('by a person');
    await decide(approvalOf(first), 'approve', '');
    const refused = await ask();
    expect([refused.isError, approvalOf(refused)['state']]).toEqual([true, 'refused']);
    expect(refused.content[0]?.text).toContain('Reason: VERSION_CONFLICT.');
    const second = await ask();
    expect(second.structuredContent).toMatchObject({ approvalRequired: true });
    expect(approvalOf(second)['id']).not.toBe(approvalOf(first)['id']);
    await decide(approvalOf(second), 'approve', '');
    for (let i = 0; i < 2; i++)
      expect((await ask()).content[0]?.text).toContain('nothing was written now');
    await change('by a person again');
    expect((await ask()).structuredContent).toMatchObject({ approvalRequired: true });
  });

  it('follows it as a task in revision 2026-07-28, and withdraws it', async () => {
    const latest = new McpClient(workplace.product, agent.key, '/mcp/latest');
    const file = async (args: Json): Promise<Json> => {
      const params = { name: 'svc_draft_create', arguments: args };
      return (await latest.askLatest('tools/call', params, params.name)).result ?? {};
    };
    const task = (method: string, { taskId }: Json, by = latest) =>
      by.askLatest(`tasks/${method}`, { taskId }, String(taskId));
    const args = draft();
    const filed = await file(args);
    expect(filed).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 5_000 });
    expect((await file(args))['taskId']).toBe(filed['taskId']);
    expect((await task('get', filed)).result).toMatchObject({ status: 'working' });
    const another = new McpClient(workplace.product, human.key, '/mcp/latest');
    expect((await task('get', filed, another)).error?.code).toBe(-32602);
    await decide({ id: filed['taskId'] }, 'approve', 'fine');
    expect((await task('get', filed)).result).toMatchObject({
      status: 'completed',
      result: { isError: false, structuredContent: { draft: { subject: args.subject } } },
    });
    expect((await drafts()).filter((one) => one['subject'] === args.subject)).toHaveLength(1);
    const other = draft();
    const unwanted = await file(other);
    expect((await task('cancel', unwanted)).result).toMatchObject({ resultType: 'complete' });
    expect((await task('get', unwanted)).result).toMatchObject({ status: 'cancelled' });
    expect((await decide({ id: unwanted['taskId'] }, 'approve', '')).status).toBe(409);
    expect((await drafts()).some((one) => one['subject'] === other.subject)).toBe(false);
  });

  it('is told the reviewer’s comment once a person has rejected', async () => {
    const args = draft();
    const filed = await client.call('svc_draft_create', args);
    expect((await decide(approvalOf(filed), 'reject', 'Not to this customer.')).status).toBe(200);
    const closed = await client.call('svc_draft_create', args);
    expect(closed).toMatchObject({
      isError: true,
      structuredContent: { approval: { state: 'rejected', comment: 'Not to this customer.' } },
    });
    expect(closed.content[0]?.text).toContain('Not to this customer.');
  });

  it('writes and sends nothing, in whatever way it tries', async () => {
    const campaign = await workplace.keyFor(mailbox, {
      ...{ kind: 'agent', approval: 'required', scopes },
      member: workplace.tenant.member.email,
    });
    const item = await workplace.receive(human, mailbox);
    const before = await stateOf(human, item);
    const sentBefore = await readdir(workplace.product.outbox).catch(() => []);
    const book = await bookOf(workplace);
    const outcomes: number[] = [];
    const ways = attempts(item, mailbox, book);
    const times = repetitions(10, 2);
    for (const [i, asked] of Array.from({ length: times }, () => ways)
      .flat()
      .entries())
      outcomes.push((await asked(workplace, campaign.key, i)).status);
    // Not a single one is answered as a write that was done; MCP answers 200 and says what became of it.
    expect(outcomes.filter((status) => status === 201)).toEqual([]);
    expect(outcomes).toHaveLength(times * ways.length);
    expect(await stateOf(human, item)).toEqual(before);
    const sentAfter = await readdir(workplace.product.outbox).catch(() => []);
    expect(sentAfter).toEqual(sentBefore);
  });

  it('writes nothing while its key is revoked and its writes are approved at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const own = await workplace.keyFor(mailbox, {
        ...{ kind: 'agent', approval: 'required', scopes: ['drafts:write'] },
      });
      const one = new McpClient(workplace.product, own.key);
      const args = draft(`race-${randomUUID()}`);
      const filed = await one.call('svc_draft_create', args);
      const [approved, , ...calls] = await Promise.all([
        decide(approvalOf(filed), 'approve', ''),
        workplace.settings.delete(`/keys/${own.id}`),
        one.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })),
        one.post(
          JSON.stringify({
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: { name: 'svc_draft_create', arguments: { ...args, body: 'other' } },
          }),
        ),
      ]);
      expect(calls.every(({ status }) => status === 200 || status === 401)).toBe(true);
      const written = (await drafts()).filter((made) => made['subject'] === args.subject);
      const decided = approved.status === 200 ? bodyOf(approved)['approval'] : null;
      const isExecuted = (decided as Json | null)?.['state'] === 'executed';
      expect(written).toHaveLength(isExecuted ? 1 : 0);
    }
  });
});

/** The resources that the agent could have changed, as a person sees them. */
async function stateOf(human: OwnKey, { id, mailbox }: ConversationItem): Promise<Json> {
  const conversation = bodyOf(await human.get(`/v1/conversations/${id}`, { mailbox }))[
    'conversation'
  ] as Json;
  const drafts = bodyOf(await human.get('/v1/drafts', { mailbox, limit: 100 }));
  const { version, labels, comments, assignee, placement, snoozedUntil } = conversation;
  return { version, labels, comments, assignee, placement, snoozedUntil, drafts };
}

async function bookOf(workplace: Workplace): Promise<string> {
  const name = `Book ${randomUUID()}`;
  const made = await workplace.settings.post('/address-books', { name, access: 'workspace' });
  const { id } = (bodyOf(made)['book'] ?? {}) as { readonly id?: string };
  return id ?? 'abk_none';
}

type Attempt = (workplace: Workplace, key: string, number: number) => Promise<Answer>;

/** Ways to write and to send, each tried many times over. */
function attempts({ id }: ConversationItem, mailbox: string, bookId: string): readonly Attempt[] {
  const rest =
    (method: string, path: string, body: object, headers: Record<string, string> = {}): Attempt =>
    ({ product }, key, number) =>
      send(product.baseUrl + path, {
        method,
        body: JSON.stringify({ mailbox, ...body }),
        headers: {
          'X-Api-Key': key,
          'Content-Type': 'application/json',
          'Idempotency-Key': `campaign-${number}`,
          ...headers,
        },
      });
  const tool =
    (name: string, args: object, headers: Record<string, string> = {}): Attempt =>
    ({ product }, key, number) =>
      new McpClient(product, key).post(
        JSON.stringify({
          ...{ jsonrpc: '2.0', id: number, method: 'tools/call' },
          params: { name, arguments: args, _meta: { idempotencyKey: `campaign-${number}` } },
        }),
        headers,
      );
  const message = { to: 'a@correspondent.example', subject: 'x', body: 'x' };
  const draft = { mailbox, subject: 'campaign', body: 'x' };
  const overriding = { 'X-HTTP-Method-Override': 'DELETE', 'X-Approval': 'none' };
  return [
    rest('POST', '/v1/send', message),
    rest('POST', `/v1/conversations/${id}/send`, message),
    rest('POST', '/v1/send', message, { 'X-MCP-Readonly': 'false' }),
    rest('POST', `/v1/conversations/${id}/comment`, { text: 'x' }),
    rest('POST', `/v1/conversations/${id}/archive`, {}),
    rest('POST', `/v1/conversations/${id}/reopen`, {}),
    rest('POST', `/v1/conversations/${id}/labels`, { add: ['x'] }),
    rest('POST', `/v1/conversations/${id}/assign`, { status: 'closed' }),
    rest('POST', `/v1/conversations/${id}/snooze`, { until: '2027-01-01T00:00:00Z' }),
    rest('POST', `/v1/conversations/${id}/archive`, {}, overriding),
    rest('POST', `/v1/conversations/${id}/archive`, { approved: true, approvalRequired: false }),
    rest('POST', '/v1/drafts', { draft: { subject: 'campaign' } }),
    rest('POST', '/v1/drafts', draft, { 'Idempotency-Key': '' }),
    rest('POST', '/v1/contacts', { bookId, displayName: 'campaign' }),
    rest('POST', '/v1/calendars', { name: 'campaign' }),
    rest('POST', '/v1/tasks', { title: 'campaign' }),
    rest('GET', '/v1/webhooks/test', {}),
    tool('svc_draft_create', draft),
    tool('svc_draft_create', { mailbox, draft: JSON.stringify({ subject: 'campaign' }) }),
    tool('svc_draft_create', { ...draft, approval: 'none', approved: true }),
    tool('svc_draft_create', draft, { 'X-MCP-Tools': 'svc_draft_create', 'X-MCP-Readonly': 'no' }),
    tool('svc_draft_update', { ...draft, id: 'drf_01M86DD59HXTKWA3AYCX996Q57' }),
    tool('svc_contact_create', { bookId, displayName: 'campaign' }),
    tool('svc_task_create', { title: 'campaign' }),
    tool('svc_calendar_event_create', { calendarId: 'cal_x', title: 'x', startMs: 1, endMs: 2 }),
    tool('svc_send', { mailbox, ...message }),
    tool('svc_send_message', { mailbox, ...message }),
    tool('access.invoke', { operation: 'sends.message', input: message }),
    tool('sends.message', message),
    ({ product }, key, number) =>
      send(`${product.settingsUrl}/approvals/apr_${number}/approve`, {
        method: 'POST',
        body: '{}',
        headers: { 'X-Api-Key': key, Authorization: `Bearer ${key}`, Cookie: `session=${key}` },
      }),
  ];
}
