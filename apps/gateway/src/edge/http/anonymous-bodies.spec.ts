import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Gateway, type SomeMember } from '../../testing/gateway.js';

const path = '/settings/api/session';
const body = { email: 'nobody@postroom.test', password: 'x'.repeat(20) };

describe('the body of a stranger', () => {
  let gateway: Gateway;
  const open: Socket[] = [];

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(() => gateway.close());

  const post = (given: object): ReturnType<Gateway['send']> =>
    gateway.send(path, { method: 'POST', body: given });

  /** A sign-in that sends the beginning of its body and no more. */
  function half(): Socket {
    const socket = connect({ port: gateway.port, host: '127.0.0.1' });
    open.push(socket);
    socket.on('error', () => undefined);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: 8000\r\n\r\n{"email":`);
    return socket;
  }

  it.each([path, '/settings/api/invitations/accept'])('has 8 KiB at most: %s', async (to) => {
    const given = { token: 't', ...body, note: 'x'.repeat(8 * 1024) };
    expect((await gateway.send(to, { method: 'POST', body: given })).status).toBe(413);
  });

  it('is answered with 503 when it does not come within seconds', async () => {
    const socket = half();
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 503/);
    await once(socket, 'close');
  });

  it('waits for nobody: beyond 16 of a network they are refused, and members are served', async () => {
    const member: SomeMember = (await gateway.workspace()).admin;
    for (let i = 0; i < 40; i++) half();
    while ((await post(body)).status !== 503);
    expect((await gateway.settings(member, 'GET', '/session')).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    while ((await post(body)).status === 503);
    expect((await post(body)).status).toBe(401);
  });
});
