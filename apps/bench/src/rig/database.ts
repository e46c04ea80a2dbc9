import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessSchema } from '@postroom/gateway';
import { recordOf, serviceNames } from '@postroom/contracts';
import { directorySchema } from '@postroom/directory';
import { mailSchema } from '@postroom/mail';
import { blobsSchema } from '@postroom/persistence';
import { provision } from '@postroom/persistence/provision';
import { startPostgres, type RunningPostgres } from '@postroom/local';
import { schedulingSchema } from '@postroom/scheduling';
import { Client } from 'pg';
import { seed } from './seed.js';
import type { Setup } from './setup.js';

/** A PostgreSQL of the bench's own, prepared and filled. */
export interface BenchDatabase {
  /** The URL of a superuser. */
  readonly adminUrl: string;
  readonly setup: Setup;
  /** The version of the server. */
  readonly version: string;
  /** Stops the server and deletes its data; idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a PostgreSQL in a temporary folder. Its commits are synced to disk, as in production.
 */
export async function openDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-'));
  // Started by root, PostgreSQL runs as another user, who must be able to enter the folder.
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
    databaseUrls: await provision(adminUrl, [
      ...[accessSchema, blobsSchema, directorySchema, mailSchema, schedulingSchema],
    ]),
    callerKeys: recordOf(serviceNames, randomKey),
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
