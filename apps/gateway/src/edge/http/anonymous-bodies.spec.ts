import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '../../limits.js';
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

  it('is answered with 503 when it does not come within seconds, also where it waits', async () => {
    const sockets = Array.from({ length: 20 }, half);
    const answers = sockets.map(async (socket) => {
      const closed = once(socket, 'close');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      await closed;
      return answer.toString().slice(0, 'HTTP/1.1 503'.length);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 503']));
  });

  it('waits beyond 16 of a network, and members are served', async () => {
    const member: SomeMember = (await gateway.workspace()).admin;
    const { tally } = limits.anonymousBodies;
    for (let i = 0; i < 40; i++) half();
    while (tally.waiting < 40 - 16) await setImmediate();
    let answered = 0;
    const strangers = Array.from({ length: 40 }, () => post(body).finally(() => (answered += 1)));
    while (tally.waiting < 80 - 16) await setImmediate();
    expect((await gateway.settings(member, 'GET', '/session')).status).toBe(200);
    expect(answered).toBe(0);
    for (const socket of open.splice(0)) socket.destroy();
    const statuses = (await Promise.all(strangers)).map(({ status }) => status);
    expect(statuses).toContain(401);
    expect(statuses).not.toContain(503);
  });
});
