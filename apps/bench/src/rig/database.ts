import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessSchema } from '@postroom/gateway';
import { mailSchema } from '@postroom/mail';
import { blobsSchema } from '@postroom/persistence';
import { provision } from '@postroom/persistence/provision';
import { startPostgres, type RunningPostgres } from '@postroom/persistence/server';
import { Client } from 'pg';
import { seed } from './seed.js';
import type { Setup } from './setup.js';

/** A PostgreSQL of the bench's own, prepared and filled. */
export interface BenchDatabase {
  /** Of one who may do anything in it. */
  readonly adminUrl: string;
  readonly setup: Setup;
  /** Its version, as the server says it. */
  readonly version: string;
  /** Stops it and deletes all of it; may be called again. */
  close(): Promise<void>;
}

/**
 * Starts a PostgreSQL in a temporary folder. It syncs its commits to disk like a real one: a bench of
 * writes without that would measure something nobody runs.
 */
export async function openDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-'));
  // Where root starts it, PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
  let postgres: RunningPostgres | undefined;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    })());
  try {
    postgres = await startPostgres({
      dataDir: join(folder, 'postgres'),
      log: (line) => process.stderr.write(`${line}\n`),
    });
    const { adminUrl } = postgres;
    const setup = await prepare(adminUrl);
    return { adminUrl, setup, version: await versionOf(adminUrl), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const randomKey = (): string => randomBytes(32).toString('base64');

async function prepare(adminUrl: string): Promise<Setup> {
  return {
    databaseUrls: await provision(adminUrl, [accessSchema, blobsSchema, mailSchema]),
    callerKeys: { access: randomKey(), mail: randomKey() },
    secretsKeys: `k1:${randomKey()}`,
    facts: await seed(adminUrl),
    brokers: null,
    outgoingUrl: null,
  };
}

async function versionOf(adminUrl: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? 'unknown';
  } finally {
    await client.end();
  }
}
