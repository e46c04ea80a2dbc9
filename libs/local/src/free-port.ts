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

/** More than it takes to find the last free one of a hundred. */
const triesMax = 1_000;

/**
 * A TCP port of 127.0.0.1 without a listener; another process may take it first.
 *
 * @throws Error when none is found
 */
export function freePort(range = ours): Promise<number> {
  return randomPort(isFree, range);
}

/** A random port of the range that passes the test. */
async function randomPort(
  passes: (port: number) => Promise<boolean>,
  [lowest, highest]: PortRange,
): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(lowest, highest + 1);
    if (await passes(port)) return port;
  }
  throw new Error(`No free port was found between ${lowest} and ${highest}.`);
}

/**
 * Free ports, another one each time, also for other processes that ask here: for those who choose
 * several before anyone listens there.
 *
 * @param taken ports that are spoken for already
 * @returns asks for the next one; it throws an Error when none is found
 */
export function freePorts(
  taken: Iterable<number | null> = [],
  range = ours,
): () => Promise<number> {
  const known = new Set(taken);
  const claimFree = async (port: number): Promise<boolean> => {
    if (!(await isFree(port)) || known.has(port)) return false;
    known.add(port);
    return claim(port);
  };
  return () => randomPort(claimFree, range);
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
