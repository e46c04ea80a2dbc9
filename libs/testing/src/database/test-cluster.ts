import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, tryLock } from '@postroom/local';
import { testConfig } from '../config.js';

/** The PostgreSQL of a run of Jest, which every spec file of it shares. */
export interface TestCluster {
  readonly adminUrl: string;
  /** The prefix of the names of the run's databases. */
  readonly run: string;
}

/**
 * The run's PostgreSQL: `TEST_DATABASE_URL`, else one that the first spec to ask starts. It outlives
 * the process that started it; Jest's global teardown stops it.
 */
export async function testCluster(): Promise<TestCluster> {
  const { runFolder, databaseUrl } = testConfig();
  const urlFile = join(runFolder, 'url');
  const lock = await waitForLock(join(runFolder, 'lock'));
  try {
    const known = await readFile(urlFile, 'utf8').catch(() => undefined);
    if (known !== undefined) return { adminUrl: known, run: basename(runFolder) };
    const { adminUrl } = await startPostgres({
      databaseUrl,
      dataDir: join(runFolder, 'postgres'),
      durable: false,
      log: () => undefined,
    });
    await writeFile(urlFile, adminUrl, { mode: 0o600 });
    return { adminUrl, run: basename(runFolder) };
  } finally {
    lock.release();
  }
}

async function waitForLock(file: string): Promise<{ release(): void }> {
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined) return lock;
    await sleep(20);
  }
}
