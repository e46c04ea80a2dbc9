import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HandleMcpMessage } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { createLog } from '@postroom/service';
import { aKey } from '@postroom/service-testing';
import type { ToolCalls } from './calls/index.js';
import { allowedOrigins, Dispatcher } from './dispatcher.js';
import { checkedTools, manifest, ToolBox } from './tools/index.js';

/** Calls of tools and their refusals, in order. */
const done: string[] = [];
const calls = {
  call: (tool: { name: string }) => {
    done.push(`called ${tool.name}`);
    return Promise.resolve({ content: [] });
  },
  introduction: () => Promise.resolve({ timeZone: 'Europe/Paris', addressBooks: [] }),
  recordRefused: (subject: string) => {
    done.push(`refused ${subject}`);
    return Promise.resolve();
  },
} as unknown as ToolCalls;
const origin = 'https://postroom.example';
const dispatcher = new Dispatcher(
  new ToolBox(checkedTools(manifest)),
  calls,
  allowedOrigins({ publicUrl: `${origin}/x`, allowedOrigins: ['https://app.example/'] }),
  createLog({ level: 'silent', format: 'json' }),
);

type Headers = Omit<HandleMcpMessage, 'body'>;
const ask = (body: string, headers: Headers = {}) =>
  dispatcher.answer({ requestId: 'req_1', caller: aKey() } as Reading, { body, ...headers });

interface Rpc {
  readonly id: unknown;
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly code: number };
}
const rpc = async (message: object, headers: Headers = {}): Promise<Rpc> => {
  const { status, bytes } = await ask(
    JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    headers,
  );
  expect(status).toBe(200);
  return JSON.parse(bytes.toString()) as Rpc;
};
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('a message', () => {
  beforeEach(() => {
    done.length = 0;
  });

  it.each([
    ['a batch', `[${ping}]`],
    ['an empty batch', '[]'],
    ['a text', '"ping"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['no JSON', '{"jsonrpc":"2.0","id":1,'],
    ['nothing', ''],
    ['no id and no method', '{"jsonrpc":"2.0"}'],
    ['no id and another version', '{"jsonrpc":"1.0","method":"ping"}'],
    ['a response of another version', '{"jsonrpc":"1.0","id":null,"result":{}}'],
  ])('of %s is refused with 400 and -32600', async (_what, body) => {
    const { status, bytes } = await ask(body);
    expect([status, JSON.parse(bytes.toString())]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
  });

  it.each(['"x"', '0', '-1', '1.50', '12345678901234567890123', '""', '1e400'])(
    'is given back its id %s as it was written',
    async (id) => {
      const { bytes } = await ask(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(bytes.toString()).toContain(`"id":${id},`);
    },
  );

  it('without an id is answered 202 with nothing, and does nothing', async () => {
    const params = { name: 'svc_draft_create', arguments: {} };
    for (const message of [
      { method: 'notifications/initialized' },
      { method: 'tools/call', params },
      { method: 'unknown' },
      // Responses to requests that were never made.
      { id: 1, result: {} },
      { id: null, error: { code: 1, message: 'x' } },
    ]) {
      const { status, bytes } = await ask(JSON.stringify({ jsonrpc: '2.0', ...message }));
      expect([status, bytes.length]).toEqual([202, 0]);
    }
    expect(done).toEqual(['refused svc_draft_create drafts:write']);
  });

  it.each([
    ['another version', { jsonrpc: '1.0', method: 'ping' }],
    ['no version', { jsonrpc: undefined, method: 'ping' }],
    ['no method', {}],
    ['a method that is no text', { method: 1 }],
  ])('with %s is an invalid request', async (_what, message) => {
    expect(await rpc(message)).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  it.each(['server/discover', 'resources/list', 'prompts/list', 'logging/setLevel', '__proto__'])(
    'of the method %s is not known',
    async (method) => {
      expect((await rpc({ method })).error?.code).toBe(-32601);
    },
  );

  it.each([
    ['tools/list', []],
    ['tools/list', 'x'],
    ['tools/list', { cursor: 'x' }],
    ['tools/call', undefined],
    ['tools/call', {}],
    ['tools/call', { name: 1 }],
    ...['svc_send', 'toString', '__proto__', 'constructor', 'hasOwnProperty', 'SVC_SEARCH'].map(
      (name) => ['tools/call', { name }] as const,
    ),
  ])('of %s with %j has wrong parameters', async (method, params) => {
    expect((await rpc({ method, params })).error?.code).toBe(-32602);
  });

  it('that hides its method or its tool behind a prototype names none', async () => {
    const { bytes } = await ask('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}');
    expect(JSON.parse(bytes.toString())).toMatchObject({ error: { code: -32600 } });
    const params = '{"__proto__":{"name":"svc_search"}}';
    const call = await ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect(JSON.parse(call.bytes.toString())).toMatchObject({ error: { code: -32602 } });
    expect(done).toEqual(['refused unnamed']);
  });

  it('that initializes is answered the one revision, whatever is asked for', async () => {
    for (const params of [undefined, {}, { protocolVersion: '1999-01-01' }]) {
      expect((await rpc({ method: 'initialize', params })).result).toEqual({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'postroom', title: 'Postroom', version: expect.any(String) },
        instructions: expect.stringContaining('somebody else’s words'),
      });
    }
    expect((await rpc({ method: 'ping' })).result).toEqual({});
    expect((await rpc({ method: 'tools/list', params: { cursor: null } })).error).toBeUndefined();
  });

  it.each([
    [undefined, 200],
    ['2025-06-18', 200],
    ['2025-03-26', 200],
    ['2024-11-05', 400],
    ['2099-01-01', 400],
    ['x', 400],
    ['2025-06-18, 2025-06-18', 400],
  ])('of the revision %s is answered %i', async (protocolVersion, status) => {
    const headers = { ...(protocolVersion !== undefined && { protocolVersion }) };
    expect((await ask(ping, headers)).status).toBe(status);
    expect((await rpc({ method: 'initialize' }, headers)).error).toBeUndefined();
  });

  it('is taken from pages of its own origins alone, and from other clients', async () => {
    for (const own of [origin, 'https://app.example'])
      expect((await ask(ping, { origin: own })).status).toBe(200);
    for (const foreign of [
      'http://evil.example',
      'null',
      `${origin}.evil.example`,
      'x'.repeat(900),
    ])
      await expect(ask(ping, { origin: foreign })).rejects.toMatchObject({
        code: 'FOREIGN_ORIGIN',
      });
  });
});

describe('the tools of a request', () => {
  beforeEach(() => {
    done.length = 0;
  });

  const listed = async (headers: Headers = {}) =>
    (await rpc({ method: 'tools/list' }, headers)).result?.tools?.map(({ name }) => name);
  const all = manifest.map(({ name }) => name);

  it('are narrowed by headers in listing and in calling, and never widened', async () => {
    expect(await listed()).toEqual(all);
    const reads = all.filter((name) => /get|search|list/.test(name));
    expect(await listed({ readonly: 'true' })).toEqual(reads);
    expect(await listed({ tools: 'svc_search, svc_task_get,nothing' })).toEqual([
      ...['svc_search', 'svc_task_get'],
    ]);
    const tools = 'svc_draft_create,svc_search';
    expect(await listed({ readonly: 'true', tools })).toEqual(['svc_search']);
    const called = (name: string, headers: Headers = {}) =>
      rpc({ method: 'tools/call', params: { name } }, headers);
    const hidden = await called('svc_draft_create', { readonly: 'true' });
    expect(hidden.error).toEqual((await called('svc_nothing')).error);
    expect((await called('svc_draft_create')).error).toBeUndefined();
    expect(done).toEqual([
      ...['refused svc_draft_create drafts:write', 'refused svc_nothing'],
      'called svc_draft_create',
    ]);
  });
});
