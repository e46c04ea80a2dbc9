import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The lowest and the highest. */
type PortRange = readonly [number, number];

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere):
 * one of those may be taken at any moment, also by a client that looks for who listened there.
 */
const ours: PortRange = [20_000, 32_767];

/** A TCP port of 127.0.0.1 without a listener; another process may take it first. */
export async function freePort([lowest, highest] = ours): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
}

/**
 * Free ports, another one each time, also for other processes that ask here: for those who choose
 * several before anyone listens there.
 *
 * @param taken ports that are spoken for already
 */
export function freePorts(
  taken: Iterable<number | null> = [],
  range = ours,
): () => Promise<number> {
  const known = new Set(taken);
  return async () => {
    for (;;) {
      const port = await freePort(range);
      if (known.has(port)) continue;
      known.add(port);
      if (await claim(port)) return port;
    }
  };
}

/**
 * Claims the port; false if another process has it. The claim ends with this process. Only Linux has
 * sockets with a name and no file: elsewhere two that start at once may choose the same.
 */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const server = createServer().unref();
  const claimed = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(`\0postroom-port-${port}`);
  return claimed;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
