import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpAdapterHost } from '@nestjs/core';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, statusesOf } from '../../testing/http.js';
import { drainMaxMs } from './fastify-adapter.js';

const list = '/public/v1/conversations?mailbox=support@acme.test';

describe('a gateway that is closed', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let key: string;
  let letGo: () => void;
  let closed: Promise<void> | undefined;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    key = await gateway.key(workspace, { grants: { 'support@acme.test': 'read' } });
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    if (closed) await gateway.open();
    closed = undefined;
    gateway.mail.calls.length = 0;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    gateway.mail.answer = async () => {
      await held;
      return {};
    };
  });

  const request = `GET ${list} HTTP/1.1\r\nHost: x\r\nX-Api-Key: `;
  const open = async (): Promise<{ socket: Socket; received: () => string }> => {
    let text = '';
    const socket = connect(gateway.port, '127.0.0.1').setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return { socket, received: () => text };
  };
  const reachedMail = async (): Promise<void> => {
    while (gateway.mail.calls.length === 0) await sleep(5);
  };
  const takesNoConnection = async (): Promise<void> => {
    const refused = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNREFUSED';
    while (!(await gateway.send('/healthz').then(() => false, refused))) await sleep(5);
  };
  const close = (): Promise<void> => (closed = gateway.stop());

  it('answers what is in flight and refuses what comes after it on the same connection', async () => {
    const { socket, received } = await open();
    socket.write(`${request}${key}\r\n\r\n`);
    await reachedMail();
    const server = gateway.app.get(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
    const closing = close();
    await takesNoConnection();
    const arrived = once(server, 'request');
    socket.write(`${request}${key}\r\n\r\n`);
    // Its answer waits for the one before it.
    await arrived;
    letGo();
    await once(socket, 'close');
    await closing;
    expect(statusesOf(received())).toEqual([200, 503]);
    const refusal = received().slice(received().lastIndexOf('HTTP/1.1'));
    expect(refusal).toMatch(/^retry-after: \d+$/im);
    expect(refusal).toContain('requestId');
  });

  it('says of a send that it waits for no longer that nobody knows', async () => {
    const sender = await gateway.key(workspace, {
      scopes: ['mail:send'],
      grants: { 'support@acme.test': 'write' },
    });
    const message = { mailbox: 'support@acme.test', to: 'a@b.fr', subject: 'x', body: 'y' };
    const headers = { 'idempotency-key': 'drained-key' };
    const asked = gateway.ask(sender, '/v1/send', { method: 'POST', headers, body: message });
    await reachedMail();
    const closing = close();
    const answer = await asked;
    expect(answer.status).toBe(503);
    expect(answer.headers).toHaveProperty('retry-after');
    expect(bodyOf(answer)).toMatchObject({ outcomeUnknown: true });
    letGo();
    await closing;
  });

  it('takes no new connection while it waits for what is in flight', async () => {
    const { socket } = await open();
    socket.write(`${request}${key}\r\n\r\n`);
    await reachedMail();
    const closing = close();
    await takesNoConnection();
    letGo();
    await closing;
  });

  it('does not wait for connections that are idle, or have never asked anything', async () => {
    letGo();
    const silent = await open();
    const idle = await open();
    idle.socket.write(`${request}${key}\r\n\r\n`);
    while (!idle.received().includes('\r\n\r\n')) await sleep(5);
    const half = await open();
    half.socket.write('GET /public/v1/conv');
    const ended = [silent, idle, half].map(
      ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await close();
    expect(timers.mock.calls.map(([, ms]) => ms)).not.toContain(drainMaxMs);
    timers.mockRestore();
    await Promise.all(ended);
  });

  it('has written what it still had to say of its last answers', async () => {
    const wrong = `${key.slice(0, -2)}${key.endsWith('00') ? '11' : '00'}`;
    await gateway.send(list, { headers: { 'x-api-key': wrong } });
    await close();
    const refused = expect.objectContaining({ action: 'key.refused' });
    expect(await gateway.audit(workspace)).toEqual([refused]);
    expect(gateway.log.join('')).not.toContain('could not record');
  });

  it('closes when it has never listened', async () => {
    const app = await gateway.create();
    await app.close();
  });
});
