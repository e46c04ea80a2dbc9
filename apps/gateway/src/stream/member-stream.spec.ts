import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { MemberCaller } from '@postroom/access';
import { aMember } from '@postroom/service-testing';
import { MemberStream } from './member-stream.js';
import type { StreamReader } from './stream-reader.js';

/** A log that never ends: a hundred events of a kilobyte at each look. */
const endless = {
  begin: () => Promise.resolve({ position: 0, isGap: false }),
  next: (_caller: MemberCaller, position: number) =>
    Promise.resolve({
      position: position + 100,
      isFull: true,
      events: Array.from({ length: 100 }, (_, i) => ({
        ...{ position: position + i + 1, type: 'approval.filed' },
        ...{ withinType: null, withinId: null, data: JSON.stringify('x'.repeat(1024)) },
      })),
    }),
} as unknown as StreamReader;

describe('a reader that stops reading', () => {
  it('costs a megabyte at most, and is cut off', async () => {
    const caller = aMember();
    let most = 0;
    const over = new Promise<void>((resolve) => {
      const server: Server = createServer((_request, response) => {
        const watch = setInterval(() => (most = Math.max(most, response.writableLength)), 5);
        const session = () => Promise.resolve(caller);
        const parts = { response, caller, session, reader: endless, lastEventId: null };
        void new MemberStream(parts).run().then(() => {
          clearInterval(watch);
          server.close(() => resolve());
        });
      });
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        const socket = connect(port, '127.0.0.1', () => {
          socket.pause();
          socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        });
        socket.on('error', () => undefined);
      });
    });
    await over;
    expect(most).toBeLessThan(1024 * 1024);
  }, 60_000);
});
