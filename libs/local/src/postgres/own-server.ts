import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCluster } from './create-cluster.js';
import { freePort } from '../free-port.js';
import {
  chooseHome,
  claimHome,
  type Installation,
  readInstallation,
  writeInstallation,
} from './installation.js';
import { launch, type Launch, stop, stopOrphan } from './postmaster.js';
import { findPrograms, type Programs } from './programs.js';
import { checkServer } from './requirements.js';
import { ownerOf, serverUser } from './run-as.js';
import { messageOf, SetupError } from '@postroom/service/setup-error';

/** Options of `startPostgres`. */
export interface PostgresOptions {
  /**
   * Postroom's folder for a server of its own, made if missing; it keeps `postgres.json` (mode 600),
   * `postgres.log`, and `cluster/` unless `postgres.json` says that the cluster is elsewhere.
   */
  readonly dataDir: string;
  /** An administrator's URL of a server that exists; nothing is started then. */
  readonly databaseUrl?: string | undefined;
  /** Called with each line for the person who started Postroom. */
  readonly log: (line: string) => void;
  /** The same for what went wrong; `log` without it. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Only programs of this origin; by default local ones, and the embedded ones without them. */
  readonly origin?: Programs['origin'] | undefined;
  /**
   * False for tests only: nothing is synced to disk, so that a crash loses the data, the server shares
   * the caller's process group, so that Ctrl-C ends it too, and it is not started again. True by default.
   */
  readonly durable?: boolean | undefined;
  /** The `native` folder of the embedded platform package; by default the installed one. */
  readonly embeddedFolder?: string | undefined;
}

/** A server that ends at each start is started again less and less often. */
const restartMs = { first: 500, max: 30_000 };

interface OwnServer {
  readonly adminUrl: string;
  readonly origin: Programs['origin'];
  stop(): Promise<void>;
}

/** Starts Postroom's own server on a data dir, which the caller holds the lock of. */
export async function startOwnServer(options: PostgresOptions): Promise<OwnServer> {
  const { dataDir, durable = true, log, warn = log } = options;
  const { cluster, password, programs } = await prepare(options, durable);
  const logFile = join(dataDir, 'postgres.log');
  const how = { programs, cluster, user: await ownerOf(cluster), logFile, durable };
  let { child, port } = await launchOn(how);
  const stopping = new AbortController();
  const { signal } = stopping;
  let restarting = Promise.resolve();
  const restart = async (): Promise<void> => {
    for (let delayMs = restartMs.first; !signal.aborted; delayMs *= 2) {
      await sleep(Math.min(delayMs, restartMs.max), undefined, { signal });
      try {
        ({ child, port } = await launchOn(how, port));
        return watch();
      } catch (error) {
        warn(messageOf(error));
      }
    }
  };
  const watch = (): void => {
    child.unref();
    child.once('exit', () => {
      if (signal.aborted || !durable) return;
      warn(`PostgreSQL ended by itself and is started again; see ${logFile}.`);
      restarting = restart().catch(() => undefined);
    });
  };
  watch();
  const server = {
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    origin: programs.origin,
    stop: async () => {
      stopping.abort();
      await restarting;
      await stop(child);
    },
  };
  try {
    await checkServer(server.adminUrl, `The PostgreSQL in ${programs.folder}`);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Brings a data dir to where a server can be launched on it. */
async function prepare(
  { dataDir, log, origin, embeddedFolder }: PostgresOptions,
  durable: boolean,
): Promise<{ cluster: string; password: string; programs: Programs }> {
  const known = await readKnown(dataDir);
  const starter = await serverUser();
  const chosenHome = known?.home ?? (await chooseHome(dataDir, starter, durable));
  const home = await claimHome(dataDir, chosenHome);
  const cluster = join(home, 'cluster');
  const exists = existsSync(cluster);
  const user = exists ? await ownerOf(cluster) : starter;
  if (exists) await stopOrphan(cluster, log);
  const origins = origin ? [origin] : originsFrom(known);
  const programs = await findPrograms({ user, home, cluster, embeddedFolder, origins });
  const password = known?.password ?? randomBytes(24).toString('base64url');
  if (known === undefined) {
    await writeInstallation(dataDir, { home: chosenHome, password, origin: programs.origin });
  }
  if (!exists) await createCluster({ dataDir, home, programs, user, password, durable, log });
  return { cluster, password, programs };
}

/** Both origins, beginning with the one of the programs that made the data. */
const originsFrom = (known: Installation | undefined): readonly Programs['origin'][] =>
  known?.origin === 'embedded' ? ['embedded', 'local'] : ['local', 'embedded'];

/** The record of the data dir's database; undefined before the first start. */
async function readKnown(dataDir: string): Promise<Installation | undefined> {
  const known = await readInstallation(dataDir);
  const cluster = join(dataDir, 'cluster');
  if (known !== undefined || !existsSync(cluster)) return known;
  throw new SetupError(
    `There is a database in ${cluster}, but postgres.json beside it, which holds its password, ` +
      'is missing. Restore that file, or move the database away to begin with an empty one.',
  );
}

/**
 * Launches on the port asked for, or on a free one. Another program may take a free port before the
 * server has it, and the processes of a server that was killed may take a moment to end: both are
 * tried again for ten seconds.
 */
async function launchOn(
  options: Omit<Launch, 'port'>,
  wantedPort?: number,
): Promise<{ child: ChildProcess; port: number }> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const port = wantedPort ?? (await freePort());
    const launched = await launch({ ...options, port });
    if (!('failure' in launched)) return { child: launched, port };
    const passing = /could not bind|pre-existing shared memory|still in use/.test(launched.failure);
    if (!passing || performance.now() > deadline) {
      throw new SetupError(`PostgreSQL does not start:\n${launched.failure}`);
    }
    await sleep(200);
  }
}
