import { beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ApprovalState,
  FiledCall,
  HandleLatestMcpMessage,
  InvocationAnswer,
  InvocationProblem,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { createLog } from '@postroom/service';
import { aKey } from '@postroom/service-testing';
import type { FiledShape, ToolCalls } from '../calls/index.js';
import { Dispatcher } from '../dispatcher.js';
import { checkedTools, manifest, ToolBox } from '../tools/index.js';
import { LatestDispatcher } from './latest-dispatcher.js';
import { tasksOf } from './tasks.js';

const createdAt = '2026-11-27T09:00:00.000Z';
const updatedAt = '2026-11-27T10:00:00.000Z';
const approval = { id: 'apr_1', state: 'pending', createdAt, expiresAt: updatedAt };

/** Calls that were refused and withdrawn, and the one task as it stands. */
const done: string[] = [];
let filed: FiledCall;
const waits = {
  content: [{ type: 'text', text: 'Filed for review as apr_1: nothing has been written.' }],
  ...{ structuredContent: { approvalRequired: true, approval }, isError: false },
};
const calls = {
  call: (_tool: object, _asked: object, shape: FiledShape = (result) => result) =>
    Promise.resolve(shape(waits)),
  introduction: () => Promise.resolve({ timeZone: 'Europe/Paris', addressBooks: [] }),
  recordRefused: (subject: string) => Promise.resolve(done.push(`refused ${subject}`)),
  filedCall: (id: string) => Promise.resolve(id === approval.id ? filed : null),
  withdraw: (id: string) => Promise.resolve(id === approval.id && done.push('withdrawn') > 0),
} as unknown as ToolCalls;
const tools = new ToolBox(checkedTools(manifest));
const log = createLog({ level: 'silent', format: 'json' });
const more = {
  methods: new Map([['events/list', () => Promise.resolve({ events: [] })]]),
  ...{ capabilities: { events: {} }, extensions: { 'io.modelcontextprotocol/events': {} } },
};
const dispatcher = new LatestDispatcher(
  new Dispatcher(tools, calls, ['https://postroom.example'], log),
  [tasksOf(calls, tools), more],
);

const latest = '2026-07-28';
const extension = 'io.modelcontextprotocol/tasks';
const withTasks = { extensions: { [extension]: {} } };
const metaOf = (version: unknown = latest, capabilities: unknown = {}) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

/** One that is undefined is not sent. */
type Headers = Readonly<Partial<Record<keyof HandleLatestMcpMessage, string | undefined>>>;
interface Rpc {
  readonly status: number | null;
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
const post = async (body: string, headers: Headers = {}): Promise<Rpc> => {
  const context = { requestId: 'req_1', caller: aKey() } as Reading;
  const { status, bytes } = await dispatcher.answer(context, {
    body,
    ...headers,
  } as HandleLatestMcpMessage);
  return { status, ...(bytes.length > 0 && (JSON.parse(bytes.toString()) as Omit<Rpc, 'status'>)) };
};
const message = (method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** A request as a client of the revision sends it. */
const ask = (method: string, params: object = {}, capabilities: object = {}, headers?: Headers) => {
  const { name, taskId } = params as { readonly name?: string; readonly taskId?: string };
  return post(message(method, { _meta: metaOf(latest, capabilities), ...params }), {
    ...{ protocolVersion: latest, mcpMethod: method },
    ...((name ?? taskId) !== undefined && { mcpName: name ?? taskId }),
    ...headers,
  });
};

beforeEach(() => {
  done.length = 0;
});

describe('revision 2026-07-28', () => {
  it('is discovered, with the capabilities of every part', async () => {
    const { status, result } = await ask('server/discover');
    expect(status).toBe(200);
    expect(result).toEqual({
      resultType: 'complete',
      supportedVersions: [latest, '2025-03-26', '2025-06-18'],
      capabilities: {
        ...{ tools: {}, events: {} },
        extensions: { [extension]: {}, 'io.modelcontextprotocol/events': {} },
      },
      instructions: expect.stringContaining('somebody else’s words'),
      ...{ ttlMs: expect.any(Number), cacheScope: 'private' },
      _meta: {
        'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'postroom' }),
      },
    });
    expect((await ask('events/list')).result).toMatchObject({ resultType: 'complete', events: [] });
  });

  it('lists the tools with their lifetime', async () => {
    const { result } = await ask('tools/list', {}, {}, { readonly: 'true' });
    const names = manifest.filter(({ name }) => /get|search|list/.test(name));
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    expect(result?.['tools']).toMatchObject(names.map(({ name }) => ({ name })));
  });

  const call = { name: 'svc_search', arguments: {} };
  const call64 = `=?base64?${Buffer.from(call.name).toString('base64')}?=`;
  it.each<readonly [string, object, Headers, number, number | null]>([
    ['no version in the header', {}, { protocolVersion: undefined }, 400, -32020],
    ['an older version in the header', {}, { protocolVersion: '2025-06-18' }, 400, -32020],
    ['another version in the body', { _meta: metaOf('v999') }, {}, 400, -32020],
    [
      'a version that is not spoken',
      { _meta: metaOf('v9') },
      { protocolVersion: 'v9' },
      400,
      -32022,
    ],
    [
      'an unknown version, in the header alone',
      { _meta: {} },
      { protocolVersion: 'v9' },
      400,
      -32022,
    ],
    ['no `_meta`', { _meta: undefined }, {}, 400, -32602],
    ['no version in `_meta`', { _meta: metaOf(null) }, {}, 400, -32602],
    ['no capabilities', { _meta: metaOf(latest, null) }, {}, 400, -32602],
    ['no method in the header', {}, { mcpMethod: undefined }, 400, -32020],
    ['another method in the header', {}, { mcpMethod: 'tools/list' }, 400, -32020],
    ['a method in capitals', {}, { mcpMethod: 'TOOLS/CALL' }, 400, -32020],
    ['no name in the header', {}, { mcpName: undefined }, 400, -32020],
    ['another name in the header', {}, { mcpName: 'svc_task_get' }, 400, -32020],
    [
      'a name in Base64 that is malformed',
      {},
      { mcpName: `${call64.slice(0, -3)}?=` },
      400,
      -32020,
    ],
    ['a name in Base64', {}, { mcpName: call64 }, 200, null],
    ['no name at all', { name: undefined }, { mcpName: undefined }, 200, -32602],
    ['an unknown tool', { name: 'svc_send' }, { mcpName: 'svc_send' }, 200, -32602],
  ])('answers a call with %s', async (_what, params, headers, status, code) => {
    const answer = await ask('tools/call', { ...call, ...params }, {}, headers);
    expect([answer.status, answer.error?.code ?? null, answer.id]).toEqual([status, code, 1]);
    expect(done).toHaveLength(code === null ? 0 : 1);
  });

  it('says which versions are spoken', async () => {
    const body = message('tools/list', { _meta: metaOf('v9') });
    expect((await post(body, { protocolVersion: 'v9' })).error?.data).toEqual({
      ...{ supported: [latest, '2025-03-26', '2025-06-18'], requested: 'v9' },
    });
  });

  it.each(['initialize', 'ping', 'tasks/list', 'tasks/result', 'resources/list', '__proto__'])(
    'has no method %s',
    async (method) => {
      const { status, error } = await ask(method, {}, withTasks);
      expect([status, error?.code]).toEqual([404, -32601]);
    },
  );

  it('refuses what is no request without an id, and takes notifications', async () => {
    const headers = { protocolVersion: latest };
    for (const body of ['[]', '{', '{"jsonrpc":"2.0","id":null,"method":"tools/list"}']) {
      const answer = await post(body, headers);
      expect(answer).toEqual({
        ...{ status: 400, jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } },
      });
    }
    const notified = '{"jsonrpc":"2.0","method":"notifications/x"}';
    expect(await post(notified, headers)).toEqual({ status: 202 });
  });

  it('leaves clients of older revisions as they are', async () => {
    const older = [
      [message('initialize', { protocolVersion: latest }), {}],
      [message('initialize', { protocolVersion: latest }), { protocolVersion: latest }],
      [message('ping'), {}],
      [message('tools/list'), { protocolVersion: '2025-06-18' }],
      [message('tools/list', { _meta: metaOf('2025-06-18') }), { protocolVersion: '2025-06-18' }],
    ] as const;
    for (const [body, headers] of older) {
      const { status, result } = await post(body, headers);
      expect([status, result?.['resultType']]).toEqual([200, undefined]);
    }
    const unknown = await post(message('server/discover'));
    expect([unknown.status, unknown.error?.code]).toEqual([200, -32601]);
  });

  it('refuses the page of a stranger', async () => {
    const foreign = ask('server/discover', {}, {}, { origin: 'http://evil.example' });
    await expect(foreign).rejects.toMatchObject({ code: 'FOREIGN_ORIGIN' });
  });
});

describe('a write that waits', () => {
  const call = { name: 'svc_draft_create', arguments: { mailbox: 'a@acme.test' } };
  const base = { taskId: approval.id, createdAt, ttlMs: 7_776_000_000 };
  const problem = (code: string, more: Partial<InvocationProblem> = {}): InvocationAnswer => ({
    ...{ status: 400, headers: {}, body: null },
    problem: { code, rule: 'operation', violations: [], fields: {}, ...more },
  });
  const closed = (state: ApprovalState, comment: string | null = null) =>
    problem('APPROVAL_CLOSED', { fields: { approval: { ...approval, state, comment } } });
  const draft = { id: 'drf_1', subject: 'Hi' };

  it('is a task for a client that declares them, and a result for others', async () => {
    const { result } = await ask('tools/call', call, withTasks);
    expect(result).toEqual({
      ...{ resultType: 'task', ...base, status: 'working', lastUpdatedAt: createdAt },
      statusMessage: expect.stringContaining('nothing has been written'),
      pollIntervalMs: expect.any(Number),
      _meta: expect.anything(),
    });
    for (const capabilities of [{}, { extensions: [] }, { extensions: { [extension]: true } }])
      expect((await ask('tools/call', call, capabilities)).result).toMatchObject({
        ...{ resultType: 'complete', structuredContent: { approvalRequired: true } },
      });
  });

  it.each<readonly [ApprovalState, InvocationAnswer | null, object]>([
    ['pending', null, { status: 'working', pollIntervalMs: 60_000 }],
    ['approved', null, { status: 'working' }],
    ['executing', null, { status: 'working' }],
    [
      'executed',
      { status: 201, headers: {}, body: { draft }, problem: null },
      {
        ...{ status: 'completed' },
        result: { resultType: 'complete', isError: false, structuredContent: { draft } },
      },
    ],
    [
      'rejected',
      closed('rejected', 'Not to this customer.'),
      {
        ...{ status: 'completed' },
        result: {
          ...{ resultType: 'complete', isError: true },
          content: [{ text: expect.stringContaining('Not to this customer.') }],
        },
      },
    ],
    ['expired', closed('expired'), { status: 'completed', result: { isError: true } }],
    ['refused', closed('refused'), { status: 'completed', result: { isError: true } }],
    ['cancelled', closed('cancelled'), { status: 'cancelled' }],
    [
      'failed',
      problem('DRAFT_NOT_FOUND'),
      { status: 'completed', result: { isError: true, structuredContent: { error: {} } } },
    ],
    [
      'failed',
      problem('INVALID_REQUEST', {
        ...{ rule: 'input', violations: [{ field: 'mailbox', message: { fr: 'non', en: 'no' } }] },
      }),
      {
        status: 'completed',
        result: {
          isError: true,
          structuredContent: { error: { details: [{ field: 'mailbox' }] } },
        },
      },
    ],
    [
      'failed',
      problem('SCOPE_MISSING', { rule: 'scope' }),
      {
        status: 'failed',
        error: { code: -32001, data: { requiredScope: 'drafts:write' } },
      },
    ],
    [
      'failed',
      problem('SERVICE_UNAVAILABLE'),
      { status: 'failed', error: { code: -32603, message: expect.any(String) } },
    ],
  ])('that is %s is told as such: %#', async (state, answer, told) => {
    filed = { operation: 'drafts.create', state, createdAt, updatedAt, answer };
    const { status, result } = await ask('tasks/get', { taskId: approval.id }, withTasks);
    expect(status).toBe(200);
    expect(result).toMatchObject({
      ...{ resultType: 'complete', ...base, lastUpdatedAt: updatedAt },
      ...{ statusMessage: expect.any(String), ...told },
    });
    const ended = { result: 'completed', error: 'failed', pollIntervalMs: 'working' };
    for (const [field, when] of Object.entries(ended))
      expect(Object.hasOwn(result ?? {}, field)).toBe(result?.['status'] === when);
  });

  it('is withdrawn, and takes no input, each answered with nothing', async () => {
    filed = { operation: 'drafts.create', state: 'pending', createdAt, updatedAt, answer: null };
    const of = { taskId: approval.id };
    const empty = { resultType: 'complete', _meta: expect.anything() };
    const inputResponses = { unknown: {} };
    expect((await ask('tasks/update', { ...of, inputResponses }, withTasks)).result).toEqual(empty);
    expect(done).toEqual([]);
    expect((await ask('tasks/cancel', of, withTasks)).result).toEqual(empty);
    expect(done).toEqual(['withdrawn']);
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'is asked for by %s with the extension, and an id that the key has filed',
    async (method) => {
      const params = { taskId: approval.id, inputResponses: {} };
      const undeclared = await ask(method, params);
      expect([undeclared.status, undeclared.error]).toEqual([
        400,
        {
          ...{ code: -32021, message: expect.any(String) },
          data: { requiredCapabilities: { extensions: { [extension]: {} } } },
        },
      ]);
      for (const taskId of ['apr_2', '', undefined, 7]) {
        const mcpName = typeof taskId === 'string' ? taskId : undefined;
        const unknown = await ask(method, { ...params, taskId }, withTasks, { mcpName });
        expect([unknown.status, unknown.error?.code]).toEqual([200, -32602]);
      }
      const elsewhere = await ask(method, params, withTasks, { mcpName: 'apr_2' });
      expect([elsewhere.status, elsewhere.error?.code]).toEqual([400, -32020]);
      expect(done).toEqual([]);
    },
  );

  it('of an operation that is no tool is no task', async () => {
    filed = { operation: 'tasks.remove', state: 'pending', createdAt, updatedAt, answer: null };
    const { error } = await ask('tasks/get', { taskId: approval.id }, withTasks);
    expect(error?.code).toBe(-32602);
  });
});
