import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { blobsSchema } from '@postroom/persistence';
import { createLog, loadConfig } from '@postroom/service';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { MailConfig, mailSchema } from '../index.js';
import { InboundThread } from './inbound-thread.js';

const log = createLog({ level: 'silent', format: 'json' });

/** Elsewhere a thread has no priority of its own. */
const onLinux = process.platform === 'linux' ? it : it.skip;

/** The names of this process's threads that run behind it, each with its nice value (proc(5), stat). */
async function behind(): Promise<string[]> {
  const threads = await readdir('/proc/self/task');
  const stats = threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => ''));
  const named = (await Promise.all(stats)).map((stat) => {
    const [, name, rest] = /[(](.*)[)] (.*)/.exec(stat) ?? [];
    return { name, nice: Number(rest?.split(' ')[16]) };
  });
  const late = named.filter(({ nice }) => nice > getPriority());
  return [...new Set(late.map(({ name, nice }) => `${name} ${nice}`))].toSorted();
}

describe('InboundThread', () => {
  let database: TestDatabase<'mail' | 'blobs'>;

  beforeAll(async () => {
    database = await createTestDatabase([mailSchema, blobsSchema]);
  });
  afterAll(() => database.drop());

  const inboundThread = (given: NodeJS.ProcessEnv = {}): InboundThread =>
    new InboundThread({
      config: loadConfig(MailConfig, {
        DATABASE_URL: database.urls.mail,
        BLOBS_DATABASE_URL: database.urls.blobs,
        CALLER_KEY: randomBytes(32).toString('base64'),
        SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
        SMTP_PORT: '0',
        ...given,
      }),
      log,
      eventsCommitted: () => undefined,
    });

  onLinux('runs a little behind the threads that serve requests, once it listens', async () => {
    const one = inboundThread();
    await one.listen();
    expect(await behind()).toEqual(['V8Worker 10', 'inbound 10']);
    await one.close();
    expect(await behind()).toEqual(['V8Worker 10']);
  });

  it('throws from listen what kept it from starting, and can be closed', async () => {
    const url = new URL(database.urls.mail);
    url.port = '1';
    const one = inboundThread({ DATABASE_URL: url.href });
    await expect(one.listen()).rejects.toThrow(/ECONNREFUSED/);
    await one.close();
  });

  it('ends its thread though it was never asked to listen', async () => {
    const one = inboundThread();
    await one.close();
    expect(() => one.ports).toThrow('not listening');
  });
});
