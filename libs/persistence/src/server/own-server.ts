import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCluster } from './cluster.js';
import { freePort } from './free-port.js';
import {
  chooseHome,
  claimHome,
  clusterIn,
  type Installation,
  readInstallation,
  writeInstallation,
} from './installation.js';
import type { PostgresOptions, RunningPostgres } from './postgres-options.js';
import { launch, type Launch, stop, stopOrphan } from './postmaster.js';
import { findPrograms, type Programs } from './programs.js';
import { checkServer } from './requirements.js';
import { ownerOf, serverUser } from './run-as.js';
import { messageOf, PostgresSetupError } from './setup-error.js';

/** A server that ends at each start is not started more often. */
const reviveAfterMs = 500;
const reviveMostMs = 30_000;

/** Starts Postroom's own server on a data dir, which the caller holds the lock of. */
export async function startOwnServer(options: PostgresOptions): Promise<RunningPostgres> {
  const { dataDir, durable = true, log, warn = log } = options;
  const { installation, home, programs } = await prepare(options, durable);
  const cluster = clusterIn(home);
  const user = await ownerOf(cluster);
  const logFile = join(dataDir, 'postgres.log');
  const how = { programs, cluster, user, logFile, durable };
  const { child: first, port } = await launchOn(how);
  let child = first;
  const stopping = new AbortController();
  let reviving: Promise<void> = Promise.resolve();
  const revive = async (): Promise<void> => {
    for (let delayMs = reviveAfterMs; !stopping.signal.aborted; delayMs *= 2) {
      await sleep(Math.min(delayMs, reviveMostMs), undefined, { signal: stopping.signal });
      try {
        ({ child } = await launchOn(how, port));
        watch();
        return;
      } catch (error) {
        warn(messageOf(error));
      }
    }
  };
  const watch = (): void => {
    child.unref();
    child.once('exit', () => {
      if (stopping.signal.aborted || !durable) return;
      warn(`PostgreSQL ended by itself and is started again; see ${logFile}.`);
      reviving = revive().catch(() => undefined);
    });
  };
  watch();
  const server: RunningPostgres = {
    adminUrl: `postgres://postgres:${installation.password}@127.0.0.1:${port}/postgres`,
    origin: programs.origin,
    stop: async () => {
      stopping.abort();
      await reviving;
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
  options: PostgresOptions,
  durable: boolean,
): Promise<{ installation: Installation; home: string; programs: Programs }> {
  const { dataDir, log } = options;
  const known = await readKnown(dataDir);
  const starter = await serverUser();
  const place = known ?? { home: await chooseHome(dataDir, starter, durable) };
  const home = await claimHome(dataDir, place.home);
  const cluster = clusterIn(home);
  const exists = await isThere(cluster);
  const user = exists ? await ownerOf(cluster) : starter;
  if (exists) await stopOrphan(cluster, log);
  const programs = await findPrograms({
    user,
    home,
    cluster,
    ...preferenceOf(options, known),
    embeddedFolder: options.embeddedFolder,
  });
  const installation = known ?? {
    home: place.home,
    password: randomBytes(24).toString('base64url'),
    origin: programs.origin,
  };
  if (known === undefined) await writeInstallation(dataDir, installation);
  if (!exists) {
    const apart = home === dataDir ? '' : `, because its system user cannot enter ${dataDir}`;
    log(`Making a PostgreSQL ${programs.major} database in ${cluster}${apart}.`);
    await createCluster({ home, programs, user, password: installation.password, durable });
  }
  return { installation, home, programs };
}

/** Programs of the origin asked for and no other; else preferably of the one that made the data. */
const preferenceOf = ({ origin }: PostgresOptions, known: Installation | undefined) => ({
  preferred: origin ?? known?.origin ?? 'local',
  strict: origin !== undefined,
});

/** What is known of the data dir's database; undefined before the first start. */
async function readKnown(dataDir: string): Promise<Installation | undefined> {
  const known = await readInstallation(dataDir);
  if (known === undefined && (await isThere(clusterIn(dataDir)))) {
    throw new PostgresSetupError(
      `There is a database in ${clusterIn(dataDir)}, but postgres.json beside it, which holds its ` +
        'password, is missing. Restore that file, or move the database away to begin with an empty one.',
    );
  }
  return known;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * On the port asked for, or on a free one. A free port may be taken by another program before the server has it, and the processes of a
 * server that was killed may take a moment to be gone: both are tried again for ten seconds.
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
      throw new PostgresSetupError(`PostgreSQL does not start:\n${launched.failure}`);
    }
    await sleep(200);
  }
}
