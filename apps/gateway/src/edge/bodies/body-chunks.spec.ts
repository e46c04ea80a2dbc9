import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chunksOf } from './body-chunks.js';

describe('chunksOf', () => {
  const server = createServer((incoming, answer) => {
    void read(incoming).then((told) => answer.end(told));
  });

  /** Reads up to `stop`, and says what came. */
  const read = async (incoming: IncomingMessage): Promise<string> => {
    let told = '';
    try {
      for await (const chunk of chunksOf(incoming, 300)) {
        told += chunk.toString();
        if (told.includes('stop')) break;
      }
      incoming.resume();
      return told;
    } catch (error) {
      return `${told} ${String(error)}`;
    }
  };

  const asking = () => {
    const { port } = server.address() as AddressInfo;
    const outgoing = request({ port, method: 'POST', host: '127.0.0.1', agent: false });
    const answered = new Promise<string>((resolve, reject) => {
      outgoing.on('response', (answer) => {
        void answer.toArray().then((chunks: Buffer[]) => {
          resolve(Buffer.concat(chunks).toString());
        });
      });
      outgoing.on('error', reject);
    });
    return { outgoing, answered };
  };

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('refuses a body that comes byte by byte', async () => {
    const { outgoing, answered } = asking();
    const drip = setInterval(() => outgoing.write('.'), 50);
    expect(await answered).toMatch(/^[.]+ Problem: SERVICE_UNAVAILABLE$/);
    clearInterval(drip);
    outgoing.destroy();
  });

  it('gives all of a body', async () => {
    const { outgoing, answered } = asking();
    outgoing.write('one ');
    outgoing.end('two');
    expect(await answered).toBe('one two');
  });

  it('releases a body that is read no further, so that its rest flows', async () => {
    const { outgoing, answered } = asking();
    outgoing.write('stop');
    outgoing.end(Buffer.alloc(8_000_000));
    expect(await answered).toMatch(/^stop/);
  });

  it('gives up on a sender that says nothing', async () => {
    const { outgoing, answered } = asking();
    outgoing.write('one');
    expect(await answered).toBe('one Problem: SERVICE_UNAVAILABLE');
    outgoing.destroy();
  });
});
