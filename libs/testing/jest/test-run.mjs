// The folder in which a run of Jest keeps its PostgreSQL, and the clearing of it. Plain JavaScript, since
// Jest loads it outside its transforms, with nothing built.
import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const prefix = 'postroom-jest-';
const memory = '/dev/shm';

/** A folder named after this process, which the user that PostgreSQL runs as can enter. */
export async function beginRun(bytesMin = 2 ** 31) {
  const folder = await mkdtemp(join(await roomyFolder(bytesMin), `${prefix}${process.pid}-`));
  await chmod(folder, 0o711);
  return folder;
}

/**
 * Memory, where there is plenty and programs may be run from it: a copied database takes 15 ms
 * there, and on a busy disk up to 800.
 */
async function roomyFolder(bytesMin) {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  if (!/^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m.test(mounts)) return tmpdir();
  const { bavail, bsize } = await statfs(memory);
  return bavail * bsize >= bytesMin ? memory : tmpdir();
}

/** Clears away what runs left that were killed. */
export async function sweepRuns() {
  for (const parent of [memory, tmpdir()]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
      if (pid > 0 && !isAlive(pid)) await endRun(join(parent, name)).catch(() => undefined);
    }
  }
}

/** Stops the run's server, if there is one, and deletes its files. */
export async function endRun(folder) {
  const dataDir = join(folder, 'postgres');
  const record = await readFile(join(dataDir, 'postgres.json'), 'utf8').catch(() => undefined);
  if (record !== undefined) {
    const home = resolve(dataDir, JSON.parse(record).home);
    await stopServer(join(home, 'cluster'));
    if (home !== dataDir) await rm(home, { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true });
}

/** At once, without writing anything back: the data is about to be deleted. */
async function stopServer(cluster) {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0) || !isAlive(pid)) return;
  process.kill(pid, 'SIGQUIT');
  for (let waitedMs = 0; waitedMs < 10_000 && isAlive(pid); waitedMs += 10) {
    if (!(await readFile(pidFile).catch(() => undefined))) return;
    await sleep(10);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
