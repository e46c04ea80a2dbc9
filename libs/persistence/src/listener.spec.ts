import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { Listener } from './listener.js';
import { freePort, startPostgres, type RunningPostgres } from '@postroom/local';

let folder: string;
let server: RunningPostgres;
let admin: Client;
const opened: Listener[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postroom-listener-'));
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => undefined });
  admin = new Client({ connectionString: server.adminUrl });
  await admin.connect();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close()));
});

afterAll(async () => {
  await admin.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function open(url = server.adminUrl): Listener {
  const listener = new Listener({ url, reconnectMs: 20 });
  opened.push(listener);
  return listener;
}

/** Counts wakes, and waits for one more. */
function counter() {
  let count = 0;
  return {
    wake() {
      count++;
    },
    async reaches(least: number): Promise<void> {
      const deadline = performance.now() + 240_000;
      while (count < least && performance.now() < deadline) await sleep(5);
      expect(count).toBeGreaterThanOrEqual(least);
    },
    get count() {
      return count;
    },
  };
}

describe('Listener', () => {
  it('wakes who listens to the channel, and nobody else', async () => {
    const listener = open();
    const [news, other] = [counter(), counter()];
    await Promise.all([
      listener.listen('news', news.wake),
      listener.listen('Other "one"', other.wake),
    ]);
    await admin.query('NOTIFY news');
    await news.reaches(1);
    expect(other.count).toBe(0);
    await admin.query('NOTIFY "Other ""one"""');
    await other.reaches(1);
    expect(news.count).toBe(1);
  });

  it('wakes everyone once after a lost connection, and listens again', async () => {
    const listener = open();
    const news = counter();
    await listener.listen('news', news.wake);
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    );
    await news.reaches(1);
    await admin.query('NOTIFY news');
    await news.reaches(2);
  });

  it('does not fail where no database is, and stops when closed', async () => {
    const listener = open(`postgresql://nobody@127.0.0.1:${await freePort()}/none`);
    await listener.listen('news', () => undefined);
    await listener.close();
  });
});
