import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEmitter } from 'node:events';
import { OutboundGuard } from '@postroom/outbound';
import { ScriptedSmtp } from '@postroom/testing';
import { SmtpConnections, smtpServerOf } from './smtp-connections.js';
import { transmit } from './transmission.js';

const message = Buffer.from('Message-ID: <a@b.example>\r\n\r\nHello\r\n');
const envelope = { from: 'a@b.example', to: ['c@d.example'] };

let server: ScriptedSmtp;
let connections: SmtpConnections;

beforeAll(async () => {
  server = await ScriptedSmtp.listen();
  connections = new SmtpConnections(1, null, new OutboundGuard({ allowed: [] }));
});

afterAll(async () => {
  connections.close();
  await server.close();
});

const send = (seen: (connection: EventEmitter) => void): Promise<void> =>
  connections.withConnection(
    smtpServerOf(server.url),
    { workspace: 'tnt_1', untilMs: Date.now() + 30_000 },
    async (connection) => {
      const times = { handOverMs: 30_000, answerMs: 30_000, signal: new AbortController().signal };
      const { kind } = await transmit(connection, envelope, message, times);
      seen(connection);
      return { value: undefined, then: kind === 'accepted' ? 'keep' : 'close' };
    },
  );

// The limit mail.serverConnections, which all who send through one server share.
it('a server has the next connection for another workspace, however many of one wait', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const use = (name: string): Promise<void> =>
    connections.withConnection(
      smtpServerOf(server.url),
      { workspace: name.charAt(0), untilMs: Date.now() + 30_000 },
      async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.push(end));
        return { value: undefined, then: 'keep' };
      },
    );
  const all = ['a1', 'a2', 'a3', 'b1'].map(use);
  for (let i = 0; i < all.length; i++) {
    while (ends.length <= i) await new Promise((resolve) => setImmediate(resolve));
    ends[i]?.();
  }
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
});

describe('a connection that serves many messages', () => {
  it('hears no more at the last than at the first', async () => {
    const listeners = (connection: EventEmitter): string =>
      JSON.stringify(connection.eventNames().map((name) => connection.listenerCount(name)));
    const counts: string[] = [];
    const used = new Set<EventEmitter>();
    for (let i = 0; i < 30; i++) {
      await send((connection) => {
        used.add(connection);
        counts.push(listeners(connection));
      });
    }
    expect(used.size).toBe(1);
    expect(server.delivered).toHaveLength(30);
    expect(new Set(counts).size).toBe(1);
    // While it rests it listens for its end, in one place.
    const [connection] = used;
    expect(connection?.listenerCount('end')).toBe(1);
  });
});
