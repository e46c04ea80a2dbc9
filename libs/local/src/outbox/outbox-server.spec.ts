import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startOutboxServer, type OutboxServer } from './outbox-server.js';

let folder: string;
let server: OutboxServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-outbox-'));
  await writeFile(join(folder, '.killed.tmp'), 'half of a message');
  server = await startOutboxServer(folder);
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A connection on which a message is begun: what is written next is the message. */
async function begun(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  for (const line of ['', 'EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) {
    if (line !== '') socket.write(`${line}\r\n`);
    await once(socket, 'data');
  }
  return socket;
}

/** Writes what is left of a message. @returns the server's answer */
async function ended(socket: Socket, rest: string): Promise<string> {
  socket.write(`${rest}\r\n.\r\n`);
  const [said] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return said.toString();
}

const head = 'Subject: x\r\nMessage-ID: <one@x.test>\r\n\r\n';

describe("the demo's mail server", () => {
  it('keeps a message as it came, as a file', async () => {
    const text = head + 'A line that is one of many.\r\n'.repeat(20_000);
    const socket = await begun();
    expect(await ended(socket, `${text}the last`)).toMatch(/^250 /);
    const names = await readdir(folder);
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^2.*\.eml$/);
    expect(await readFile(join(folder, names[0] ?? ''), 'latin1')).toBe(`${text}the last\r\n`);
  });

  it('has nothing left of a message that was cut off, nor of one that a process died of', async () => {
    const socket = await begun();
    socket.write(`${head}${'x'.repeat(100_000)}`);
    while ((await readdir(folder)).length === 0) await sleep(10);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.[0-9a-f]{24}\.tmp$/)]);
    socket.destroy();
    while ((await readdir(folder)).length > 0) await sleep(10);
  });

  it('refuses what is too large, and keeps none of it', async () => {
    const socket = await begun();
    const line = `${'x'.repeat(998)}\r\n`;
    expect(await ended(socket, head + line.repeat(68_000))).toMatch(/^552 /);
    expect(await readdir(folder)).toEqual([]);
  });

  it('says why it could not be started', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(startOutboxServer(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
