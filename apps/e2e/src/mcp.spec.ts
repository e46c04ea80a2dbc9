import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './http.js';
import { type Json, McpClient, rpcOf } from './mcp-client.js';
import { type OwnKey, Workplace } from './workplace.js';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A call as JSON, its arguments as they are written. */
const callOf = (name: string, args: string, meta = '{}'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${meta}}}`;

let workplace: Workplace;
let mailbox: string;
let key: OwnKey;
let client: McpClient;

beforeAll(async () => {
  workplace = await Workplace.open('acme');
  mailbox = await workplace.mailbox();
  key = await workplace.keyFor(mailbox, { scopes: ['read:conversations', 'drafts:write'] });
  client = new McpClient(workplace.product, key.key);
});

const clientFor = async (given: { readonly scopes: readonly string[] }): Promise<McpClient> =>
  new McpClient(workplace.product, (await workplace.keyFor(mailbox, given)).key);

/** A connection on which a request is written by hand. */
async function write(head: readonly string[], body: string): Promise<Socket> {
  const { hostname, port } = new URL(workplace.product.baseUrl);
  const socket = connect(Number(port), hostname);
  // It may be reset while it writes: that is what is tried.
  socket.on('error', () => undefined);
  const lines = ['POST /public/mcp HTTP/1.1', 'Host: x', `X-Api-Key: ${key.key}`, ...head];
  await new Promise((resolve) => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, resolve));
  return socket;
}

describe('POST /mcp', () => {
  it('refuses without a key as every route does', async () => {
    for (const headers of [{ 'X-Api-Key': '' }, { 'X-Api-Key': 'pr_human_no' }]) {
      const answer = await client.post(ping, headers);
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text)).toEqual({
        ...{ error: expect.any(String), code: 'UNAUTHENTICATED', requestId: expect.any(String) },
      });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
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

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('exposes no %s', async (method) => {
    const answer = await client.request(method, undefined, {});
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });

  it('answers 202 and 400 of the protocol, with the type that it names', async () => {
    const notified = await client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([notified.status, notified.text]).toEqual([202, '']);
    for (const body of ['', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]) {
      const answer = await client.post(body);
      expect([answer.status, rpcOf(answer).error?.code]).toEqual([400, -32600]);
    }
  });

  it('passes on the headers that say who asks and in what revision', async () => {
    expect((await client.post(ping, { Origin: 'http://evil.example' })).status).toBe(403);
    expect((await client.post(ping, { 'MCP-Protocol-Version': '2024-11-05' })).status).toBe(400);
    const hidden = { 'X-MCP-Readonly': 'true', 'X-MCP-Tools': 'svc_draft_create' };
    expect((await client.ask('tools/list', undefined, hidden)).result).toEqual({ tools: [] });
  });

  it('refuses a body of 10 MB before it is read', async () => {
    const answer = await client.post(`{"x":"${'x'.repeat(10_000_000)}"}`);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String) });
  });

  it('stops reading an endless body whose length was not said', async () => {
    const socket = await write(['Transfer-Encoding: chunked'], '');
    const answered = new Promise<string>((resolve) => {
      socket.on('data', (data: Buffer) => resolve(data.toString()));
    });
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 10_000_000; sent += 0x10000) socket.write(chunk);
    expect(await answered).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it.each([
    ['text/plain', '*/*'],
    ['text/html', 'text/event-stream'],
    ['multipart/form-data; boundary=x', '*/*'],
    ['application/x-www-form-urlencoded', '*/*'],
    ['application/json; charset=utf-16', 'application/json'],
    ['nonsense', '*/*'],
  ])('reads JSON that is declared as %s, for a client that accepts %s', async (type, accept) => {
    const answer = await client.post(ping, { 'Content-Type': type, Accept: accept });
    expect([answer.status, rpcOf(answer).result]).toEqual([200, {}]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  it('does not unpack what is compressed', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const answer = await client.post(gzipSync(ping), headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('does a write once whose client hangs up before the answer', async () => {
    const subject = `hung up ${randomUUID()}`;
    const meta = JSON.stringify({ idempotencyKey: randomUUID() });
    const body = callOf('svc_draft_create', JSON.stringify({ mailbox, subject }), meta);
    (await write([`Content-Length: ${Buffer.byteLength(body)}`], body)).destroy();
    (await write(['Content-Length: 999'], '{"json')).destroy();
    const again = async () => rpcOf(await client.post(body)).result;
    const first = await again();
    expect(first).toMatchObject({ structuredContent: { draft: { subject } } });
    expect(await again()).toMatchObject({ structuredContent: first?.['structuredContent'] });
    const { text } = await key.get('/v1/drafts', { mailbox, limit: 100 });
    const written = (JSON.parse(text) as { drafts: Json[] }).drafts;
    expect(written.filter((one) => one['subject'] === subject)).toHaveLength(1);
  });
});

describe('tools', () => {
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

  it('name the missing scope, mailbox and member', async () => {
    const reader = await clientFor({ scopes: ['read:conversations'] });
    const draft = await reader.callRaw('svc_draft_create', { mailbox });
    expect(draft.error).toMatchObject({
      code: -32001,
      data: { reason: 'scope', requiredScope: 'drafts:write', tool: 'svc_draft_create' },
    });
    const elsewhere = await client.callRaw('svc_search', { query: 'x', mailbox: 'no@acme.test' });
    expect(elsewhere.error).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });
    const memberless = await clientFor({ scopes: ['read:contacts'] });
    const contact = await memberless.callRaw('svc_contact_get', { id: 'x', mailbox });
    expect(contact.error).toMatchObject({ code: -32001, data: { reason: 'member' } });
  });

  it.each([
    ['a missing argument', {}, 'query'],
    ['a wrong type', { query: 1 }, 'query'],
    ['an unknown argument', { query: 'x', extra: 1 }, 'extra'],
    ['the name that REST has for it', { q: 'x', query: 'x' }, 'q'],
    ['a number that is too large', { query: 'x', limit: 101 }, 'limit'],
  ])('refuse %s, and name it', async (_, args, field) => {
    const { error } = await client.callRaw('svc_search', { mailbox, ...args });
    expect(error).toMatchObject({ code: -32602, data: { details: [{ field }] } });
  });

  it('refuse endless nesting, and prototype keys where others are unknown', async () => {
    const named = `"query":"x","mailbox":"${mailbox}"`;
    const polluted = rpcOf(
      await client.post(callOf('svc_search', `{${named},"__proto__":{"q":"y"}}`)),
    );
    expect(polluted.error).toMatchObject({
      ...{ code: -32602, data: { details: [{ field: '__proto__' }] } },
    });
    const deep = `{${named},"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(rpcOf(await client.post(callOf('svc_search', deep))).error?.code).toBe(-32602);
  });

  it('take prototype keys for names like any other', async () => {
    const subject = `prototype ${randomUUID()}`;
    const keys =
      '"__proto__":{"subject":"theirs"},"constructor":{"prototype":{"subject":"theirs"}}';
    const made = async (draft: string): Promise<unknown> => {
      const args = `{"mailbox":"${mailbox}",${keys},"draft":{${draft}}}`;
      return rpcOf(await client.post(callOf('svc_draft_create', args, `{${keys}}`))).result;
    };
    expect(await made(`"subject":"${subject}",${keys}`)).toMatchObject({
      structuredContent: { draft: { subject } },
    });
    // Nothing is left of the draft: it is refused.
    expect(await made(keys)).toBeUndefined();
  });

  it.each([
    '["a@acme.test","b@acme.test"]',
    '{"0":"a@acme.test"}',
    'null',
    '""',
    '"a@acme.test,b@acme.test"',
    '"a@acme.test\\u0000"',
  ])('take no mailbox of %s', async (value) => {
    const { error } = rpcOf(
      await client.post(callOf('svc_search', `{"query":"x","mailbox":${value}}`)),
    );
    expect([-32602, -32001]).toContain(error?.code);
  });

  it('check the mailbox that is written to, wherever another one is named', async () => {
    const subject = `two mailboxes ${randomUUID()}`;
    const other = await workplace.mailbox();
    const made = (args: string): Promise<Answer> => client.post(callOf('svc_draft_create', args));
    const inside = async (outer: string, inner: string) =>
      rpcOf(await made(JSON.stringify({ mailbox: outer, draft: { mailbox: inner, subject } })));
    const twice = async (first: string, second: string) =>
      rpcOf(await made(`{"mailbox":"${first}","mailbox":"${second}","subject":"${subject}"}`));
    for (const done of [await inside(mailbox, other), await twice(other, mailbox)])
      expect(done.result).toMatchObject({ structuredContent: { draft: { mailbox } } });
    for (const refused of [await inside(other, mailbox), await twice(mailbox, other)])
      expect(refused.error?.code).toBe(-32001);
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
    const scopes = ['read:contacts', 'write:contacts', 'read:calendar', 'write:calendar'];
    const member = workplace.tenant.member.email;
    const own = await workplace.keyFor(mailbox, { scopes, member });
    const one = new McpClient(workplace.product, own.key);
    const name = `Book ${Date.now()}`;
    const made = await workplace.settings.post('/address-books', { name, access: 'workspace' });
    const { id: bookId } = (JSON.parse(made.text) as { book: { id: string } }).book;
    const created = await one.call('svc_contact_create', { bookId, displayName: name });
    const { id } = created.structuredContent['contact'] as { id: string };
    const read = await one.call('svc_contact_get', { id, mailbox });
    expect(read.structuredContent).toMatchObject({ contact: { id, displayName: name } });
    expect((await one.callRaw('svc_contact_get', { id })).error).toMatchObject({
      ...{ code: -32602, data: { details: [{ field: 'mailbox' }] } },
    });
    const foreign = await one.callRaw('svc_contact_get', { id, mailbox: 'no@acme.test' });
    expect(foreign.error).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });

    const calendar = await own.post('/v1/calendars', { name });
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
    const params = {
      name: 'svc_draft_create',
      arguments: { mailbox, subject: 'Once' },
      _meta: { idempotencyKey: `once-${Date.now()}` },
    };
    const idOf = (answer: { result?: unknown }): unknown =>
      (answer.result as { structuredContent: { draft: { id: string } } }).structuredContent.draft
        .id;
    const first = idOf(await client.ask('tools/call', params));
    const again = await client.ask('tools/call', params);
    expect(idOf(again)).toBe(first);
    expect(again.result?.['_meta']).toMatchObject({ 'postroom/idempotency': 'hit' });
    const { _meta: _, ...unkeyed } = params;
    expect(idOf(await client.ask('tools/call', unkeyed))).not.toBe(first);
    const short = await client.ask('tools/call', { ...params, _meta: { idempotencyKey: 'x' } });
    expect(short.error?.code).toBe(-32602);
  });

  it('may do what the key may do now', async () => {
    const own = await workplace.keyFor(mailbox, { scopes: ['drafts:write'] });
    const one = new McpClient(workplace.product, own.key);
    const change = (given: object) => workplace.settings.patch(`/keys/${own.id}`, given);
    const grant = (...mailboxes: object[]) => change({ mailboxes });
    const refusal = async () =>
      (await one.callRaw('svc_draft_create', { mailbox, subject: 'x' })).error;
    expect(await refusal()).toBeUndefined();
    await grant({ address: mailbox, access: 'read' });
    expect(await refusal()).toMatchObject({ code: -32001, data: { reason: 'read_only' } });
    await grant();
    expect(await refusal()).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });
    await grant({ address: mailbox, access: 'write' });
    expect(await refusal()).toBeUndefined();
    await change({ scopes: ['read:analytics'] });
    expect(await refusal()).toMatchObject({ code: -32001, data: { reason: 'scope' } });
    await workplace.settings.delete(`/keys/${own.id}`);
    expect((await one.post(ping)).status).toBe(401);
  });

  it('tells a model first what its key can reach, and when it is', async () => {
    const member = workplace.tenant.member.email;
    const scopes = ['read:contacts', 'read:conversations'];
    const own = await workplace.keyFor(mailbox, { scopes, member });
    const { result } = await new McpClient(workplace.product, own.key).ask('initialize');
    const said = String(result?.['instructions']);
    expect(said).toContain(`${mailbox} (write)`);
    expect(said).toContain(`the member ${member}`);
    expect(said).toMatch(/bookId\): abk_\w{26} “/);
    expect(said).toMatch(/time zone is \S+; it is now 20\d\d-/);
    const elsewhere = await client.callRaw('svc_search', { query: 'x', mailbox: 'no@acme.test' });
    expect(elsewhere.error?.message).toContain(`${mailbox} (write)`);
  });

  it('says what it ignored, refuses an empty draft, and addresses an answer', async () => {
    const scopes = ['drafts:write', 'read:conversations'];
    const own = new McpClient(workplace.product, (await workplace.keyFor(mailbox, { scopes })).key);
    const item = await workplace.receive(key, mailbox, { subject: 'RE: Order' });
    const detail = await own.call('svc_conversation_get', { id: item.id, mailbox });
    const { messages } = detail.structuredContent['conversation'] as {
      messages: { id: string; from: { email: string } }[];
    };
    const [message] = messages;
    const made = await own.call('svc_draft_create', {
      ...{ mailbox, inReplyTo: message?.id, body: 'Hello', recipient: 'x@y.example' },
      ...{ subject: null, cc: '' },
    });
    expect(made.structuredContent).toMatchObject({
      draft: { to: [{ email: message?.from.email }], cc: [], subject: 'RE: Order' },
      ignored: ['recipient'],
    });
    expect(made.content[0]?.text).toContain('no such fields: recipient.');
    const empty = await own.callRaw('svc_draft_create', { mailbox, recipient: 'x@y.example' });
    expect(empty.error).toMatchObject({ code: -32602 });
    expect(empty.error?.message).toContain('given: mailbox, recipient');
  });
});
