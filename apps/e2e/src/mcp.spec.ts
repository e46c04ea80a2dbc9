import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { McpClient, rpcOf } from './mcp-client.js';
import { PublicApi } from './public-api.js';
import { type OwnKey, Workplace } from './workplace.js';

const tools = [
  'svc_search',
  'svc_conversation_get',
  'svc_draft_create',
  'svc_draft_update',
  'svc_contact_get',
  'svc_contact_create',
  'svc_calendar_list',
  'svc_calendar_event_create',
  'svc_task_get',
  'svc_task_create',
];
const rpc = (more: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...more });
const ping = rpc({ method: 'ping' });

describe('POST /mcp', () => {
  let workplace: Workplace;
  let mailbox: string;
  let key: OwnKey;
  let client: McpClient;

  beforeAll(async () => {
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    key = await workplace.keyFor(mailbox);
    client = new McpClient(workplace.product, key.key);
  });

  describe('as a transport', () => {
    it('refuses without a key as every route does', async () => {
      for (const headers of [{ 'X-Api-Key': '' }, { 'X-Api-Key': 'pr_human_no' }]) {
        const answer = await client.post(ping, headers);
        expect(answer.status).toBe(401);
        expect(JSON.parse(answer.text)).toEqual({
          error: expect.any(String),
          requestId: expect.any(String),
        });
      }
    });

    it('takes the key as a bearer token too, and answers the limits of the key', async () => {
      const headers = { 'X-Api-Key': '', Authorization: `Bearer ${key.key}` };
      const answer = await client.post(ping, headers);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers)).toEqual(
        expect.arrayContaining(['x-ratelimit-remaining', 'x-request-id']),
      );
    });

    it('answers a notification 202 with nothing, and does nothing', async () => {
      const call = { name: 'svc_draft_create', arguments: { mailbox, subject: 'Never' } };
      for (const message of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', method: 'tools/call', params: call },
        { jsonrpc: '2.0', method: 'unknown' },
      ]) {
        const { status, text } = await client.post(JSON.stringify(message));
        expect([status, text]).toEqual([202, '']);
      }
    });

    it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('exposes no %s', async (method) => {
      const answer = await client.request(method, undefined, {});
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
      const { error } = JSON.parse(answer.text) as { error: string };
      // public-api.md §7: MCP answers a text at the level of HTTP, for methods too.
      expect(error).not.toBe('METHOD_NOT_ALLOWED');
    });

    it.each([
      ['a batch', `[${ping}]`],
      ['an empty batch', '[]'],
      ['a text', '"ping"'],
      ['a number', '1'],
      ['null', 'null'],
      ['a null id', rpc({ id: null, method: 'ping' })],
      ['an id that is true', rpc({ id: true, method: 'ping' })],
      ['an id that is an object', rpc({ id: {}, method: 'ping' })],
      ['no JSON', '{"jsonrpc":"2.0","id":1,'],
      ['nothing', ''],
      ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
      ['no id and no method', '{"jsonrpc":"2.0"}'],
      ['no id and another version', '{"jsonrpc":"1.0","method":"ping"}'],
    ])('refuses %s with 400 and -32600', async (_, body) => {
      const answer = await client.post(body);
      expect(answer.status).toBe(400);
      expect(rpcOf(answer)).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: expect.any(String) },
      });
    });

    it.each(['"x"', '0', '-1', '1.50', '12345678901234567890123', '""', '1e400'])(
      'gives back the id %s as it was written',
      async (id) => {
        const answer = await client.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(`"id":${id},`);
      },
    );

    it('refuses a body of 10 MB before it is read', async () => {
      const answer = await client.post(rpc({ method: 'ping', x: 'x'.repeat(10_000_000) }));
      expect(answer.status).toBe(413);
      expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String) });
    });

    it('does not believe a Content-Type, and asks for no Accept', async () => {
      for (const headers of [
        { 'Content-Type': 'text/plain' },
        { 'Content-Type': 'application/xml', Accept: 'application/json' },
        { Accept: '*/*' },
        { Accept: 'text/event-stream' },
      ]) {
        const answer = await client.post(ping, headers);
        expect(answer.status).toBe(200);
        expect(answer.headers['content-type']).toMatch(/^application\/json/);
      }
    });

    it('refuses pages of other origins, and no other clients', async () => {
      const origin = new URL(workplace.product.baseUrl).origin;
      expect((await client.post(ping, { Origin: origin })).status).toBe(200);
      for (const foreign of [
        'http://evil.example',
        'null',
        `${origin}.evil.example`,
        'x'.repeat(900),
      ]) {
        const answer = await client.post(ping, { Origin: foreign });
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String) });
      }
    });

    it('speaks the revisions that it names, and no other', async () => {
      for (const version of ['2025-06-18', '2025-03-26']) {
        expect((await client.post(ping, { 'MCP-Protocol-Version': version })).status).toBe(200);
      }
      for (const version of ['2024-11-05', '2099-01-01', 'x', '2025-06-18, 2025-06-18']) {
        const answer = await client.post(ping, { 'MCP-Protocol-Version': version });
        expect(answer.status).toBe(400);
      }
    });

    it('survives a client that hangs up', async () => {
      const { hostname, port } = new URL(workplace.product.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /public/mcp HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\nContent-Length: 999\r\n\r\n{"json`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
      expect((await client.post(ping)).status).toBe(200);
    });
  });

  describe('as JSON-RPC', () => {
    it('answers initialize with its one revision, whatever is asked for', async () => {
      for (const params of [undefined, {}, { protocolVersion: '1999-01-01' }]) {
        expect((await client.ask('initialize', params)).result).toEqual({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'postroom', title: 'Postroom', version: expect.any(String) },
          instructions: expect.stringContaining('somebody else’s words'),
        });
      }
    });

    it('answers ping with nothing', async () => {
      expect((await client.ask('ping')).result).toEqual({});
    });

    it.each(['server/discover', 'resources/list', 'prompts/list', 'logging/setLevel', '__proto__'])(
      'does not know %s',
      async (method) => {
        expect((await client.ask(method)).error?.code).toBe(-32601);
      },
    );

    it.each([
      ['another version', { jsonrpc: '1.0', method: 'ping' }],
      ['no version', { jsonrpc: undefined, method: 'ping' }],
      ['no method', {}],
      ['a method that is no text', { method: 1 }],
    ])('refuses a request with %s as invalid', async (_, message) => {
      const answer = await client.post(rpc(message));
      expect(answer.status).toBe(200);
      expect(rpcOf(answer)).toMatchObject({ id: 1, error: { code: -32600 } });
    });

    it.each([
      ['tools/list', []],
      ['tools/list', 'x'],
      ['tools/list', { cursor: 'x' }],
      ['tools/call', undefined],
      ['tools/call', {}],
      ['tools/call', { name: 1 }],
      ['tools/call', { name: 'svc_send' }],
      ['tools/call', { name: 'toString' }],
      ['tools/call', { name: 'SVC_SEARCH' }],
      ['tools/call', { name: 'svc_search', arguments: [] }],
      ['tools/call', { name: 'svc_search', arguments: 'x' }],
    ])('refuses %s of %j as wrong parameters', async (method, params) => {
      expect((await client.ask(method, params)).error?.code).toBe(-32602);
    });
  });

  describe('tools', () => {
    it('are those of the specification, each with schema and hints', async () => {
      const { result } = await client.ask('tools/list');
      const listed = result?.['tools'] as Record<string, Record<string, unknown>>[];
      expect(listed.map(({ name }) => name)).toEqual(tools);
      for (const { inputSchema, annotations } of listed) {
        expect(inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
        expect(Object.keys(inputSchema ?? {})).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/anyOf|oneOf|allOf/)]),
        );
        expect(
          Object.values(annotations ?? {}).filter((hint) => typeof hint === 'boolean'),
        ).toHaveLength(4);
      }
    });

    it('read what REST reads', async () => {
      const subject = `Order ${Date.now()}`;
      const item = await workplace.receive(key, mailbox, { subject, text: 'Where is the order?' });
      const found = await client.call('svc_search', { query: subject, mailbox });
      expect(found.structuredContent).toMatchObject({
        mailbox,
        results: [{ conversationId: item.id, subject }],
      });
      const read = await client.call('svc_conversation_get', { id: item.id, mailbox });
      expect(read.structuredContent).toMatchObject({
        conversation: {
          id: item.id,
          subject,
          messages: [{ direction: 'inbound', trust: { level: 'ordinary', reasons: [] } }],
        },
        nextOffset: null,
      });
      expect(read._meta).toMatchObject({ 'postroom/untrusted': true });
    });

    it('name the missing scope and mailbox', async () => {
      const draft = await client.callRaw('svc_draft_create', { mailbox });
      expect(draft.error).toMatchObject({
        code: -32001,
        data: { reason: 'scope', requiredScope: 'drafts:write', tool: 'svc_draft_create' },
      });
      const elsewhere = await client.callRaw('svc_search', { query: 'x', mailbox: 'no@acme.test' });
      expect(elsewhere.error).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });
      const memberless = new McpClient(
        workplace.product,
        (await workplace.keyFor(mailbox, { scopes: ['read:contacts'] })).key,
      );
      const contact = await memberless.callRaw('svc_contact_get', { id: 'x', mailbox });
      expect(contact.error).toMatchObject({ code: -32001, data: { reason: 'member' } });
    });

    it.each([
      ['a missing argument', { mailbox: 'support@acme.test' }, 'query'],
      ['a wrong type', { query: 1 }, 'query'],
      ['an unknown argument', { query: 'x', extra: 1 }, 'extra'],
      ['the name that REST has for it', { q: 'x', query: 'x' }, 'q'],
      ['a number that is too large', { query: 'x', limit: 101 }, 'limit'],
    ])('refuse %s, and name it', async (_, args, field) => {
      const { error } = await client.callRaw('svc_search', { mailbox, ...args });
      expect(error).toMatchObject({ code: -32602, data: { details: [{ field }] } });
    });

    it('refuse prototype keys and endless nesting', async () => {
      const call = (args: string) =>
        client.post(
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_search","arguments":${args}}}`,
        );
      const polluted = rpcOf(
        await call(`{"query":"x","mailbox":"${mailbox}","__proto__":{"q":"y"}}`),
      );
      expect(polluted.error).toMatchObject({
        code: -32602,
        data: { details: [{ field: '__proto__' }] },
      });
      const deep = `{"query":"x","mailbox":"${mailbox}","a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
      expect(rpcOf(await call(deep)).error?.code).toBe(-32602);
    });

    it('take the last of two mailboxes for the check and for the call alike', async () => {
      const body = (first: string, second: string) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_search","arguments":{"query":"x","mailbox":"${first}","mailbox":"${second}"}}}`;
      const refused = rpcOf(await client.post(body(mailbox, 'sales@acme.test')));
      expect(refused.error?.code).toBe(-32001);
      const done = rpcOf(await client.post(body('sales@acme.test', mailbox)));
      expect(done.result).toMatchObject({ structuredContent: { mailbox } });
    });

    it('read objects that come as text, and no other text', async () => {
      const writer = new McpClient(
        workplace.product,
        (await workplace.keyFor(mailbox, { scopes: ['drafts:write'] })).key,
      );
      const subject = '{"not":"read"}';
      const made = await writer.call('svc_draft_create', {
        mailbox,
        draft: JSON.stringify({ subject, body: 'x' }),
      });
      expect(made.structuredContent).toMatchObject({ draft: { subject, source: 'mcp' } });
    });

    it('answer what does not exist as a result, also of another workspace', async () => {
      const other = await Workplace.open('globex');
      const box = await other.mailbox();
      const item = await other.receive(await other.keyFor(box), box);
      const read = await client.call('svc_conversation_get', { id: item.id, mailbox });
      expect(read).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'CONVERSATION_NOT_FOUND' } },
      });
      const theirs = await client.callRaw('svc_search', { query: 'x', mailbox: box });
      expect(theirs.error?.code).toBe(-32001);
    });

    it('act on contacts and calendars as their routes do', async () => {
      const member = workplace.tenant.member.email;
      const scopes = ['read:contacts', 'write:contacts', 'read:calendar', 'write:calendar'];
      const { key: own } = await workplace.keyFor(mailbox, { scopes, member });
      const one = new McpClient(workplace.product, own);
      const name = `Book ${Date.now()}`;
      const made = await workplace.settings.post('/address-books', { name, access: 'workspace' });
      const { id: bookId } = (JSON.parse(made.text) as { book: { id: string } }).book;
      const created = await one.call('svc_contact_create', { bookId, displayName: name });
      const { id } = created.structuredContent['contact'] as { id: string };
      const read = await one.call('svc_contact_get', { id, mailbox });
      expect(read.structuredContent).toMatchObject({ contact: { id, displayName: name } });
      expect((await one.callRaw('svc_contact_get', { id })).error).toMatchObject({
        code: -32602,
        data: { details: [{ field: 'mailbox' }] },
      });
      const foreign = await one.callRaw('svc_contact_get', { id, mailbox: 'no@acme.test' });
      expect(foreign.error).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });

      const calendar = await new PublicApi(workplace.product, own, workplace.contract).post(
        '/v1/calendars',
        { name },
      );
      const calendarId = (JSON.parse(calendar.text) as { calendar: { id: string } }).calendar.id;
      const listed = await one.call('svc_calendar_list', {});
      expect(JSON.stringify(listed.structuredContent)).toContain(calendarId);
      const event = { calendarId, title: name, startMs: 1772442000000, endMs: 1772445600000 };
      const added = await one.call('svc_calendar_event_create', event);
      expect(added.structuredContent).toMatchObject({
        event: { title: name, startIso: '2026-03-02T09:00:00.000Z' },
      });
      const wrong = await one.callRaw('svc_calendar_event_create', { ...event, startMs: '2026' });
      expect(wrong.error?.code).toBe(-32602);
    });

    it('repeat a write with a key that is given, and only then', async () => {
      const writer = new McpClient(
        workplace.product,
        (await workplace.keyFor(mailbox, { scopes: ['drafts:write'] })).key,
      );
      const params = {
        name: 'svc_draft_create',
        arguments: { mailbox, subject: 'Once' },
        _meta: { idempotencyKey: `once-${Date.now()}` },
      };
      const idOf = (answer: { result?: unknown }): unknown =>
        (answer.result as { structuredContent: { draft: { id: string } } }).structuredContent.draft
          .id;
      const first = idOf(await writer.ask('tools/call', params));
      const again = await writer.ask('tools/call', params);
      expect(idOf(again)).toBe(first);
      expect(again.result?.['_meta']).toMatchObject({ 'postroom/idempotency': 'hit' });
      const { _meta: _, ...unkeyed } = params;
      expect(idOf(await writer.ask('tools/call', unkeyed))).not.toBe(first);
      const short = await writer.ask('tools/call', { ...params, _meta: { idempotencyKey: 'x' } });
      expect(short.error?.code).toBe(-32602);
    });

    it('are narrowed by headers in listing and in calling, and never widened', async () => {
      const list = async (headers: Record<string, string>) => {
        const { result } = await client.ask('tools/list', undefined, headers);
        return (result?.['tools'] as { name: string }[]).map(({ name }) => name);
      };
      const reads = tools.filter((name) => /get|search|list/.test(name));
      expect(await list({ 'X-MCP-Readonly': 'true' })).toEqual(reads);
      expect(await list({ 'X-MCP-Tools': 'svc_search, svc_task_get,nothing' })).toEqual([
        'svc_search',
        'svc_task_get',
      ]);
      const both = { 'X-MCP-Readonly': 'true', 'X-MCP-Tools': 'svc_draft_create,svc_search' };
      expect(await list(both)).toEqual(['svc_search']);
      const hidden = await client.callRaw(
        'svc_draft_create',
        { mailbox },
        { 'X-MCP-Readonly': 'true' },
      );
      const unknown = await client.callRaw('svc_nothing', {});
      expect(hidden.error).toEqual(unknown.error);
    });

    it('may do what the key may do now', async () => {
      const own = await workplace.keyFor(mailbox);
      const withdrawn = new McpClient(workplace.product, own.key);
      expect(
        (await withdrawn.callRaw('svc_search', { query: 'x', mailbox })).error,
      ).toBeUndefined();
      await workplace.settings.patch(`/keys/${own.id}`, { scopes: ['read:analytics'] });
      const refused = await withdrawn.callRaw('svc_search', { query: 'x', mailbox });
      expect(refused.error).toMatchObject({ code: -32001, data: { reason: 'scope' } });
      await workplace.settings.delete(`/keys/${own.id}`);
      expect((await withdrawn.post(ping)).status).toBe(401);
    });
  });
});
