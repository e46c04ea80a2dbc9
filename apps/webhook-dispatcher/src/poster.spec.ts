import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NameUnresolved, OutboundGuard } from '@postroom/outbound';
import { makeCertificates, type Certificate, type Certificates } from './testing/certificates.js';
import { Poster } from './poster.js';

/** In place of the 8 s of a deployment, where the time of an attempt ends it; elsewhere that plays no part. */
const attemptMs = 600;

let certificates: Certificates;
let poster: Poster;
let hurried: Poster;
const servers: Server[] = [];
const sockets = new Set<Socket>();

beforeAll(() => {
  certificates = makeCertificates();
  const guard = new OutboundGuard({ allowed: ['127.0.0.1', '::1'] });
  poster = new Poster(guard, { attemptMs: 600_000, ca: certificates.ca });
  hurried = new Poster(guard, { attemptMs, ca: certificates.ca });
});
afterAll(() => Promise.all([poster.close(), hurried.close()]));
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server, address = '127.0.0.1'): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that is told of each request's first bytes. */
const raw = (onRequest: (socket: Socket) => void): Promise<number> =>
  listening(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => onRequest(socket));
    }),
  );

const post = (port: number, scheme = 'http', host = '127.0.0.1', by = poster) =>
  by.post({ url: `${scheme}://${host}:${port}/`, headers: {}, body: Buffer.from('{}') });
const postInTime = (port: number, scheme = 'http') => post(port, scheme, '127.0.0.1', hurried);

const head = 'HTTP/1.1 200 OK\r\n';

/** Writes a start, and then a piece again and again. */
function drip(socket: Socket, start: string, piece: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(piece), 50);
  socket.on('close', () => clearInterval(timer));
}

describe('an attempt', () => {
  it('succeeds with any answer of 200 to 299, within its time', async () => {
    const port = await raw((socket) => socket.end(`${head}content-length: 2\r\n\r\nok`));
    expect(await post(port)).toMatchObject({ error: null, status: 200 });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['localhost', '127.0.0.1'],
  ])('shows nothing of what an allow-listed target answers: %s', async (host, address) => {
    const answer = 'HTTP/1.1 500 No\r\ncontent-length: 6\r\n\r\nsecret';
    const server = createServer((socket) => socket.on('data', () => socket.write(answer)));
    const port = await listening(server, address);
    for (const _connection of ['a new one', 'one that was kept']) {
      const result = await post(port, 'http', host);
      expect(result).toMatchObject({ error: 'status', status: 500, excerpt: null });
    }
  });

  it('shows nothing of an allow-listed target that closes the connection with its answer', async () => {
    const port = await raw((socket) =>
      socket.end('HTTP/1.1 500 No\r\nconnection: close\r\n\r\nsecret'),
    );
    expect(await post(port)).toMatchObject({ error: 'status', status: 500, excerpt: null });
  });

  type Act = (socket: Socket) => void;
  it.each<[string, Act]>([
    ['before it answers', () => undefined],
    ['in its headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
    ['before its body', (socket) => void socket.write(`${head}content-length: 10\r\n\r\n`)],
    ['in its body', (socket) => void socket.write(`${head}content-length: 10\r\n\r\nabc`)],
    [
      'in a chunk',
      (socket) => void socket.write(`${head}transfer-encoding: chunked\r\n\r\nff\r\na`),
    ],
    ['with headers that drip', (socket) => drip(socket, head, 'x-a: b\r\n')],
    ['with a body that drips', (socket) => drip(socket, `${head}content-length: 100\r\n\r\n`, 'x')],
  ])('ends in time with a receiver that hangs %s', async (_stage, act) => {
    const result = await postInTime(await raw(act));
    expect(result).toMatchObject({ error: 'timed_out', status: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(attemptMs - 50);
  });

  it('ends in time with a receiver that takes no connection', async () => {
    const server = createServer({ pauseOnConnect: true });
    expect(await postInTime(await listening(server))).toMatchObject({ error: 'timed_out' });
  });

  it('ends in time with a receiver that never ends the TLS handshake', async () => {
    const port = await raw(() => undefined);
    expect(await postInTime(port, 'https')).toMatchObject({ error: 'timed_out', status: null });
  });

  it('ends in time with a name server that does not answer', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const lost = new Poster(new OutboundGuard({ allowed: [], resolve }), { attemptMs });
    const url = 'https://hooks.example.com/';
    const result = await lost.post({ url, headers: {}, body: Buffer.from('{}') });
    expect(result).toMatchObject({ error: 'timed_out', status: null });
    await lost.close();
  });

  it.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['chunk extensions', `${head}transfer-encoding: chunked\r\n\r\n1;`, 'a=b;'],
    ['trailers', `${head}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x: y\r\n'],
    [
      'empty-handed chunks',
      `${head}transfer-encoding: chunked\r\n\r\n`,
      `1;${'e'.repeat(900)}\r\n\0\r\n`,
    ],
  ])(
    'ends, and reads little more, where a receiver has no end of %s',
    async (_what, start, piece) => {
      let sent = 0;
      const many = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
      const port = await raw((socket) => {
        socket.write(start);
        const more = (): void => {
          while (!socket.destroyed && socket.write(many)) sent += many.length;
          sent += many.length;
        };
        socket.on('drain', more);
        more();
      });
      expect(await post(port)).toMatchObject({ error: 'bad_answer' });
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    },
  );

  it('reads no more than it keeps of a body of 100 MB', async () => {
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024, 'x');
    const port = await raw((socket) => {
      socket.write(`${head}content-length: ${100 * 1024 * 1024}\r\n\r\n`);
      const more = (): void => {
        while (sent < 100 * 1024 * 1024 && !socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      more();
    });
    const result = await post(port);
    expect(result).toMatchObject({ error: null, status: 200 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });

  it('unpacks nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const port = await raw((socket) => {
      socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    expect(await post(port)).toMatchObject({ error: null, status: 200 });
  });

  it.each([
    ['two lengths that differ', `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    ['a length that is no number', `${head}content-length: many\r\n\r\nhello`],
    ['a body shorter than its length', `${head}content-length: 50\r\n\r\nhello`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['nothing', ''],
    ['headers of 64 KiB', `${head}x-a: ${'y'.repeat(65_536)}\r\n\r\n`],
    ['a chunk that is none', `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ])('fails with a receiver that answers %s', async (_what, answer) => {
    const port = await raw((socket) => socket.end(answer));
    expect(await post(port)).toMatchObject({ error: 'bad_answer', status: null });
  });

  it('fails with a receiver that resets the connection', async () => {
    const port = await raw((socket) => socket.resetAndDestroy());
    expect(await post(port)).toMatchObject({ error: 'bad_answer' });
  });

  it('fails with a port that nobody listens on', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await post(port)).toMatchObject({ error: 'unreachable', excerpt: null });
  });

  it('goes to no target that the guard refuses', async () => {
    const result = await poster.post({
      url: 'https://10.0.0.1/',
      headers: {},
      body: Buffer.from('{}'),
    });
    expect(result).toMatchObject({ error: 'target_refused', status: null });
  });

  it.each([
    [true, 'name_not_found'],
    [false, 'unreachable'],
  ])(
    'tells a name that does not exist (%s) from one that was not resolved',
    async (isUnknown, error) => {
      const resolve = () => Promise.reject(new NameUnresolved(isUnknown));
      const lost = new Poster(new OutboundGuard({ allowed: [], resolve }), { attemptMs });
      const url = 'https://hooks.example.com/';
      const result = await lost.post({ url, headers: {}, body: Buffer.from('{}') });
      expect(result).toMatchObject({ error, excerpt: null });
      await lost.close();
    },
  );
});

describe('TLS', () => {
  const secure = ({ key, cert }: Certificate) =>
    listening(createTlsServer({ key, cert }, (_request, response) => response.end('ok')));

  it('is made with a certificate that is valid for the host', async () => {
    const port = await secure(certificates.valid);
    expect(await post(port, 'https')).toMatchObject({ error: null, status: 200 });
  });

  it.each(['expired', 'otherHost', 'selfSigned'] as const)(
    'fails with a certificate: %s',
    async (name) => {
      const port = await secure(certificates[name]);
      expect(await post(port, 'https')).toMatchObject({ error: 'tls_failed', status: null });
    },
  );

  it('fails with a server that speaks none', async () => {
    const port = await raw((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    expect(await post(port, 'https')).toMatchObject({ error: 'tls_failed' });
  });
});

describe('connections', () => {
  it('are kept for the next delivery', async () => {
    let opened = 0;
    const server = createServer((socket) => {
      opened += 1;
      socket.on('data', () => socket.write(`${head}content-length: 0\r\n\r\n`));
    });
    const port = await listening(server);
    for (let i = 0; i < 5; i++) expect(await post(port)).toMatchObject({ error: null });
    // A second one is opened where the first has not noticed yet that its answer has ended.
    expect(opened).toBeLessThanOrEqual(2);
  });

  it('ignore the proxies of the environment', async () => {
    let proxied = 0;
    const proxy = await raw((socket) => {
      proxied += 1;
      socket.end(`${head}\r\n`);
    });
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'];
    const proxies = names.map((name) => [name, `http://127.0.0.1:${proxy}`] as const);
    const env = jest.replaceProperty(process, 'env', {
      ...process.env,
      ...Object.fromEntries(proxies),
    });
    try {
      const port = await raw((socket) => socket.end(`${head}content-length: 0\r\n\r\n`));
      expect(await post(port)).toMatchObject({ error: null });
      expect(proxied).toBe(0);
    } finally {
      env.restore();
    }
  });
});
