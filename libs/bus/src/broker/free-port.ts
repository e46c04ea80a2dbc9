import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (from 32768 on Linux, 49152 elsewhere): one of those may be taken by an
 * outgoing connection at any moment, also by a client that reconnects to the port.
 */
const [lowest, highest] = [20_000, 32_767];

/**
 * A TCP port of 127.0.0.1 that nobody listens on; another process may take it first. A simpler copy of
 * the one in `persistence`: neither library may import the other, and `contracts` does no I/O.
 *
 * @param taken a port that is reserved already
 */
export async function freePort(taken?: number): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (port !== taken && (await isFree(port))) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
