import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './http.js';
import { type Json, McpClient, rpcOf } from './mcp-client.js';
import { type OwnKey, Workplace } from './workplace.js';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A call as JSON, its arguments as they are written. */
const callOf = (name: string, args: string, meta = '{}'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${meta}}}`;

describe('POST /mcp, when it is used wrongly', () => {
  let workplace: Workplace;
  let mailbox: string;
  let key: OwnKey;
  let client: McpClient;

  beforeAll(async () => {
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    const scopes = ['read:conversations', 'drafts:write'];
    key = await workplace.keyFor(mailbox, { scopes });
    client = new McpClient(workplace.product, key.key);
  });

  const subjects = async (): Promise<readonly unknown[]> => {
    const { text } = await key.get('/v1/drafts', { mailbox, limit: 100 });
    return (JSON.parse(text) as { drafts: Json[] }).drafts.map(({ subject }) => subject);
  };

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

  it.each([
    'text/html',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'nonsense',
  ])('reads JSON that is declared as %s', async (type) => {
    const answer = await client.post(ping, { 'Content-Type': type });
    expect([answer.status, rpcOf(answer).result]).toEqual([200, {}]);
  });

  it('does not unpack what is compressed', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const answer = await client.post(gzipSync(ping), headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('stops reading an endless body whose length was not said', async () => {
    const socket = await write(['Transfer-Encoding: chunked'], '');
    let answered = '';
    socket.on('data', (data: Buffer) => (answered += data.toString()));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 10_000_000 && answered === ''; sent += 0x10000) {
      socket.write(chunk);
      await sleep(2);
    }
    const deadline = Date.now() + 5_000;
    while (answered === '' && Date.now() < deadline) await sleep(20);
    socket.destroy();
    expect(answered).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('does a write once whose client hangs up before the answer', async () => {
    const subject = `hung up ${randomUUID()}`;
    const meta = JSON.stringify({ idempotencyKey: randomUUID() });
    const body = callOf('svc_draft_create', JSON.stringify({ mailbox, subject }), meta);
    const socket = await write([`Content-Length: ${Buffer.byteLength(body)}`], body);
    socket.destroy();
    const repeated = rpcOf(await client.post(body));
    expect(repeated.result).toMatchObject({ structuredContent: { draft: { subject } } });
    await sleep(500);
    expect((await subjects()).filter((one) => one === subject)).toHaveLength(1);
  });

  it.each([
    '["a@acme.test","b@acme.test"]',
    '{"0":"a@acme.test"}',
    'null',
    '""',
    '"a@acme.test,b@acme.test"',
    '"a@acme.test\\u0000"',
  ])('takes no mailbox of %s', async (value) => {
    const { error } = rpcOf(
      await client.post(callOf('svc_search', `{"query":"x","mailbox":${value}}`)),
    );
    expect([-32602, -32001]).toContain(error?.code);
  });

  it('checks the mailbox that is written to, wherever another one is named', async () => {
    const subject = `two mailboxes ${randomUUID()}`;
    const other = await workplace.mailbox();
    const inside = (outer: string, inner: string): Promise<Answer> =>
      client.post(
        callOf(
          'svc_draft_create',
          JSON.stringify({ mailbox: outer, draft: { mailbox: inner, subject } }),
        ),
      );
    expect(rpcOf(await inside(other, mailbox)).error?.code).toBe(-32001);
    const done = rpcOf(await inside(mailbox, other));
    expect(done.result).toMatchObject({ structuredContent: { draft: { mailbox } } });
    const twice = `{"mailbox":"${mailbox}","mailbox":"${other}","subject":"${subject}"}`;
    expect(rpcOf(await client.post(callOf('svc_draft_create', twice))).error?.code).toBe(-32001);
  });

  it('takes prototype keys for names like any other', async () => {
    const subject = `prototype ${randomUUID()}`;
    const keys =
      '"__proto__":{"subject":"theirs"},"constructor":{"prototype":{"subject":"theirs"}}';
    const made = rpcOf(
      await client.post(
        callOf(
          'svc_draft_create',
          `{"mailbox":"${mailbox}",${keys},"draft":{"subject":"${subject}",${keys}}}`,
          `{${keys}}`,
        ),
      ),
    );
    expect(made.result).toMatchObject({ structuredContent: { draft: { subject } } });
    const empty = rpcOf(
      await client.post(callOf('svc_draft_create', `{"mailbox":"${mailbox}","draft":{${keys}}}`)),
    );
    expect(empty.result).not.toMatchObject({ structuredContent: { draft: { subject: 'theirs' } } });
    const inParams = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"svc_search"}}}`;
    expect(rpcOf(await client.post(inParams)).error?.code).toBe(-32602);
    const inMessage = `{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}`;
    expect(rpcOf(await client.post(inMessage)).error?.code).toBe(-32600);
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
      expect(rpcOf(await client.post(callOf(name, '{}'))).error?.code).toBe(-32602);
  });

  it('follows each change of the key’s mailboxes between two calls', async () => {
    const own = await workplace.keyFor(mailbox, { scopes: ['drafts:write'] });
    const one = new McpClient(workplace.product, own.key);
    const grant = (mailboxes: readonly object[]) =>
      workplace.settings.patch(`/keys/${own.id}`, { mailboxes });
    const write = async () => one.callRaw('svc_draft_create', { mailbox, subject: 'x' });
    expect((await write()).error).toBeUndefined();
    await grant([{ address: mailbox, access: 'read' }]);
    expect((await write()).error).toMatchObject({ code: -32001, data: { reason: 'read_only' } });
    await grant([]);
    expect((await write()).error).toMatchObject({ code: -32001, data: { reason: 'mailbox' } });
    await grant([{ address: mailbox, access: 'write' }]);
    expect((await write()).error).toBeUndefined();
  });
});
