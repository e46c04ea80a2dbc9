import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { MemberCaller } from '@postroom/access';
import { aMember } from '@postroom/service-testing';
import { MemberStream } from './member-stream.js';
import type { StreamReader } from '../../access/index.js';

const megabyte = 1024 * 1024;

/** A log that never ends: so many events of so many bytes at each look. */
const endless = (length: number, eventBytes: number): StreamReader =>
  ({
    findStart: () => Promise.resolve({ position: 0, isGap: false }),
    next: (_caller: MemberCaller, position: number) =>
      Promise.resolve({
        position: position + length,
        isFull: true,
        events: Array.from({ length }, (_, i) => ({
          ...{ position: position + i + 1, type: 'approval.filed' },
          ...{ withinType: null, withinId: null, data: JSON.stringify('x'.repeat(eventBytes)) },
        })),
      }),
  }) as unknown as StreamReader;

/** Serves a log to a client that never reads. @returns what it cost until it was cut off */
const stalled = (reader: StreamReader): Promise<number> =>
  new Promise((resolve) => {
    let mostBytes = 0;
    const caller = aMember();
    const server: Server = createServer((_request, response) => {
      const watch = setInterval(
        () => (mostBytes = Math.max(mostBytes, response.writableLength)),
        5,
      );
      const session = () => Promise.resolve(caller);
      const parts = { response, caller, session, reader, lastEventId: null };
      void new MemberStream(parts).serve().then(() => {
        clearInterval(watch);
        server.close(() => resolve(mostBytes));
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

describe('a reader that stops reading', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('costs a megabyte at most, and is cut off', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const patience = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(500));
    expect(await stalled(endless(100, 1024))).toBeLessThan(megabyte);
    expect(patience).toHaveBeenLastCalledWith(10_000);
  });

  it('is cut off without a wait when more than a megabyte waits', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const patience = jest.spyOn(AbortSignal, 'timeout');
    await stalled(endless(1, 8 * megabyte));
    expect(patience).not.toHaveBeenCalled();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
