import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guardedFetch } from './guarded-fetch.js';
import { OutboundGuard } from './outbound-guard.js';

const bytesMax = 10_000;
const guard = new OutboundGuard({ allowed: ['127.0.0.1/32'] });
const large = Buffer.alloc(200_000, ' ');

describe('an answer of guardedFetch', () => {
  let server: Server;
  let serve: RequestListener;
  let closed: Promise<unknown>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      serve(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const read = async (timeoutMs = 20_000): Promise<string> => {
    const fetch = guardedFetch(guard, { timeoutMs, bytesMax });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return (await fetch(url, {})).text();
  };

  it('is read as it came, packed or not', async () => {
    const text = 'x'.repeat(bytesMax);
    serve = (_, response) => response.end(text);
    expect(await read()).toBe(text);
    serve = (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
    expect(await read()).toBe(text);
  });

  /** Sends for as long as somebody reads. */
  const endless: RequestListener = (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(large.subarray(0, 65_536)));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  };

  it.each<[string, RequestListener]>([
    ['has no end', endless],
    [
      'has a gigabyte',
      (request, response) =>
        endless(request, response.writeHead(200, { 'content-length': 2 ** 30 })),
    ],
    [
      'is unpacked to more',
      (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(large)),
    ],
    [
      'is unpacked to more by Brotli',
      (_, response) => response.setHeader('content-encoding', 'br').end(brotliCompressSync(large)),
    ],
    [
      'is packed twice',
      (_, response) =>
        response.setHeader('content-encoding', 'gzip, gzip').end(gzipSync(gzipSync(large))),
    ],
  ])('is given up when it %s', async (_what, answer) => {
    serve = answer;
    await expect(read()).rejects.toThrow();
    await closed;
  });

  it.each<[string, RequestListener]>([
    ['never begins', () => undefined],
    ['never goes on', (_, response) => response.writeHead(200).flushHeaders()],
    [
      'comes a byte at a time',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 10);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('is given up in time when it %s', async (_what, answer) => {
    serve = answer;
    await expect(read(200)).rejects.toThrow();
    await closed;
  });
});
