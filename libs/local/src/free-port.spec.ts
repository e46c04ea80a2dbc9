import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, freePorts } from './free-port.js';

/** Ranges that nothing else asks for: not the launcher, not other specs, not Linux for outgoing connections. */
const [lowest, highest] = [64_000, 64_019];
const pair = [64_500, 64_501] as const;

describe('a free port', () => {
  it('is one that nobody listens on', async () => {
    const taken = await freePort();
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    const others = await Promise.all(
      Array.from({ length: 20 }, () => freePort([taken - 1, taken + 1])),
    );
    server.close();
    expect(others).not.toContain(taken);
  });

  it('is another one each time, and none that is spoken for', async () => {
    const spokenFor = [lowest, null, highest];
    const next = freePorts(spokenFor, [lowest, highest]);
    const given: number[] = [];
    while (given.length < 10) given.push(await next());
    expect(new Set(given).size).toBe(10);
    expect(given).not.toContain(lowest);
    expect(given).not.toContain(highest);
  });

  // Elsewhere nothing can be claimed: no other system has sockets with a name and no file.
  const itOnLinux = process.platform === 'linux' ? it : it.skip;
  itOnLinux('is none that another process has been given', async () => {
    const other = createServer().listen(`\0postroom-port-${pair[0]}`);
    await once(other, 'listening');
    const next = freePorts([], pair);
    expect(await next()).toBe(pair[1]);
    await expect(next()).rejects.toThrow('No free port was found between 64500 and 64501.');
    other.close();
  });
});
