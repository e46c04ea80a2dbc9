import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { attachments, fileParts, newId, nextPartHeader } from '@postroom/contracts';
import { PostgresBlobs } from '@postroom/persistence';
import { heldBytes } from '@postroom/testing';
import { fastify } from 'fastify';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { limits } from '../../limits.js';
import { endStalledAnswers } from './fastify-adapter.js';

const mebi = 1024 * 1024;
const mailbox = 'support@acme.test';
const path = `/v1/attachments/${newId('att')}?mailbox=${mailbox}`;

describe('a large answer', () => {
  let gateway: Gateway;
  let blobs: PostgresBlobs;
  let content: Buffer;
  let tenantId: string;
  let attacker: string;
  let other: string;
  const open: Socket[] = [];

  beforeAll(async () => {
    gateway = await Gateway.start();
    blobs = new PostgresBlobs({
      url: gateway.database.urls.blobs,
      onTrouble: () => undefined,
    });
    content = Buffer.alloc(8 * mebi, 'a letter of eight mebibytes. ');
    const keyOf = (workspace: SomeWorkspace): Promise<string> =>
      gateway.key(workspace, { grants: { [mailbox]: 'read' } });
    const workspace = await gateway.workspace();
    tenantId = workspace.id;
    attacker = await keyOf(workspace);
    other = await keyOf(await gateway.workspace());
    gateway.mail.answer = async ({ caller, request }) => {
      if (request.operation !== attachments.get.id) return { body: { conversations: [] } };
      const bodyRef = await blobs.put(caller.tenantId, content);
      return { bodyRef, bodyBytes: content.length, body: Buffer.alloc(0) };
    };
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await blobs.close();
    await gateway.close();
  });

  const stored = async (): Promise<number> => {
    const [row] = await gateway.rows<{ count: string }>('SELECT count(*) FROM blobs.chunks');
    return Number(row?.count);
  };

  /** Asks for it and reads nothing but the first bytes of the answer. */
  async function unread(key: string): Promise<string> {
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    open.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET /public${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`);
    await once(socket, 'readable');
    return String((socket.read(15) as Buffer | null) ?? '');
  }

  it('comes whole, with its length, and is dropped from the store', async () => {
    const { status, headers, text } = await gateway.ask(attacker, path);
    expect([status, headers['content-length']]).toEqual([200, String(content.length)]);
    expect(text === content.toString()).toBe(true);
    while ((await stored()) > 0) await sleep(20);
  });

  it('is refused when it is gone', async () => {
    const { answer } = gateway.mail;
    gateway.mail.answer = () => ({ bodyRef: 'gone', bodyBytes: 9, body: Buffer.alloc(0) });
    const refused = await gateway.ask(attacker, path);
    gateway.mail.answer = answer;
    expect([refused.status, refused.headers['content-disposition']]).toEqual([503, undefined]);
  });

  // The limit gateway.unreadAnswers.
  it('costs little when it is not read, and beyond a share the key is refused, not others', async () => {
    const { answer } = gateway.mail;
    // One copy is enough to be left unread: no time goes by until all of them have begun. A refusal drops it for all.
    const dropped = jest.spyOn(PostgresBlobs.prototype, 'drop').mockResolvedValue();
    const bodyRef = await blobs.put(tenantId, content);
    gateway.mail.answer = () => ({ bodyRef, bodyBytes: content.length, body: Buffer.alloc(0) });
    const before = heldBytes();
    const statuses = await Promise.all(Array.from({ length: 40 }, () => unread(attacker)));
    gateway.mail.answer = answer;
    expect(statuses.some((line) => line.startsWith('HTTP/1.1 503'))).toBe(true);
    const served = statuses.filter((line) => line.startsWith('HTTP/1.1 200'));
    expect(served.length).toBeGreaterThanOrEqual(32);
    // 32 answers of 8 MiB are 256.
    expect((heldBytes() - before) / mebi).toBeLessThan(200);
    const list = `/v1/conversations?mailbox=${mailbox}`;
    expect((await gateway.ask(attacker, list)).status).toBe(503);
    expect((await gateway.ask(other, list)).status).toBe(200);
    dropped.mockRestore();
    expect((await gateway.ask(other, path)).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    while ((await gateway.ask(attacker, path)).status !== 200) await sleep(50);
  });
});

interface ServedParts {
  readonly mayCome?: Promise<void>;
  /** The length that is said. */
  readonly said?: number;
}

describe('a file in parts', () => {
  let gateway: Gateway;
  let key: string;
  const part = Buffer.alloc(mebi / 4, 'a part of a file. ');
  const partsOfFile = 200;

  beforeAll(async () => {
    gateway = await Gateway.start();
    key = await gateway.key(await gateway.workspace(), { grants: { [mailbox]: 'read' } });
  });
  afterAll(() => gateway.close());

  const asked = (): number =>
    gateway.mail.calls.filter(({ request }) => request.operation === fileParts.get.id).length;

  /** Answers parts; from the second part on each waits for `mayCome`. */
  function serveParts(
    parts: number,
    { mayCome = Promise.resolve(), said = parts * part.length }: ServedParts = {},
  ): void {
    gateway.mail.calls.splice(0);
    gateway.mail.answer = async ({ request, input }) => {
      const n = Number(input['part'] ?? 0);
      if (request.operation === fileParts.get.id) await mayCome;
      else if (request.operation !== attachments.get.id) return { body: { conversations: [] } };
      const next = n + 1 < parts ? { [nextPartHeader]: String(n + 1) } : {};
      const length = { 'content-length': String(said) };
      const type = { 'content-type': 'application/octet-stream' };
      return { body: part, headers: { ...next, ...(n === 0 && { ...length, ...type }) } };
    };
  }

  it('comes whole, with its length, and says nothing of its parts', async () => {
    serveParts(5);
    const { status, headers, text } = await gateway.ask(key, path);
    expect([status, headers['content-length']]).toEqual([200, String(5 * part.length)]);
    expect(headers[nextPartHeader]).toBeUndefined();
    expect(text === part.toString().repeat(5)).toBe(true);
    expect(asked()).toBe(4);
  });

  it('comes in turn with other large answers, of which 16 MiB leave in a second', async () => {
    serveParts(33);
    const startMs = performance.now();
    await gateway.ask(key, path);
    // Timers are a millisecond early at most.
    expect(performance.now() - startMs).toBeGreaterThan(32 * (1000 / 64 - 1));
  });

  it('never has a byte more than its length, and is broken off where it has less', async () => {
    serveParts(3, { said: 2 * part.length + 5 });
    const { text } = await gateway.ask(key, path);
    expect(text.length).toBe(2 * part.length + 5);
    serveParts(3, { said: 3 * part.length + 5 });
    await expect(gateway.ask(key, path)).rejects.toThrow();
  });

  it('is asked for no further when its client has left', async () => {
    const { promise: mayCome, resolve: come } = Promise.withResolvers<void>();
    serveParts(partsOfFile, { mayCome });
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(`GET /public${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`);
    while (asked() === 0) await sleep(20);
    expect(limits.unreadAnswers.tally.used).toBeGreaterThan(0);
    socket.destroy();
    while (limits.unreadAnswers.tally.used > 0) await sleep(20);
    come();
    await gateway.ask(key, `/v1/conversations?mailbox=${mailbox}`);
    expect(asked()).toBe(1);
  });

  it('is not asked for where its head is enough', async () => {
    serveParts(partsOfFile);
    const { headers } = await gateway.ask(key, path, { method: 'HEAD' });
    expect([headers['content-length'], asked()]).toEqual([String(partsOfFile * part.length), 0]);
  });
});

describe('an answer that is not read', () => {
  it('is broken off, and one that waits for its source is not', async () => {
    const app = fastify();
    endStalledAnswers(app, 1_000);
    const slices = Array.from({ length: 1024 }, () => Buffer.alloc(mebi / 16));
    app.get('/large', () => Readable.from(slices, { highWaterMark: 1 }));
    app.get('/slow', async () => {
      await sleep(2_500);
      return 'done';
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    const served = once(app.server, 'connection') as Promise<[Socket]>;
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const [near] = await served;
    await once(near, 'close');
    expect(await (await fetch(`http://127.0.0.1:${port}/slow`)).text()).toBe('done');
    expect((await (await fetch(`http://127.0.0.1:${port}/large`)).arrayBuffer()).byteLength).toBe(
      64 * mebi,
    );
    socket.destroy();
    await app.close();
  });
});
