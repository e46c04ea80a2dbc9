import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Programs } from './programs.js';
import { environment, runProgram, type SystemUser } from './run-as.js';
import { SetupError } from '@postroom/service/setup-error';

/** Long, since a server that was cut off first repeats what its log holds. */
const startTimeoutMs = 600_000;
const stopTimeoutMs = 60_000;
const pollMs = 20;

/** The program, files and port of a server. */
export interface Launch {
  readonly programs: Programs;
  readonly cluster: string;
  readonly user: SystemUser | undefined;
  readonly port: number;
  readonly logFile: string;
  readonly durable: boolean;
}

/**
 * Starts a server and resolves when it accepts connections, or with what it wrote before it ended.
 *
 * A durable server leads a process group of its own, so that the terminal's Ctrl-C reaches only
 * this process, which stops the server last. One that is thrown away stays in the caller's group,
 * and Ctrl-C ends it even when no parent process is left to.
 */
export async function launch(options: Launch): Promise<ChildProcess | { failure: string }> {
  const log = await open(options.logFile, 'a', 0o600);
  const { size } = await log.stat();
  const child = spawn(
    join(options.programs.folder, 'postgres'),
    ['-D', options.cluster, ...settingsFor(options)],
    {
      cwd: '/',
      env: environment,
      stdio: ['ignore', log.fd, log.fd],
      detached: options.durable,
      ...options.user,
    },
  );
  const spawnErrors: Error[] = [];
  child.on('error', (error) => spawnErrors.push(error));
  await log.close();
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (spawnErrors[0] !== undefined) return { failure: spawnErrors[0].message };
    if (hasEnded(child)) {
      const written = (await readFile(options.logFile)).subarray(size);
      return { failure: written.toString('utf8').trim() };
    }
    const running = await readPidFile(options.cluster);
    if (running?.pid === child.pid && running?.ready === true) return child;
    await sleep(pollMs);
  }
  await stop(child);
  return { failure: `not ready within ${startTimeoutMs / 1000} s; see ${options.logFile}` };
}

/** For data that is thrown away, perhaps in memory: little is written, and nothing is waited for. */
const withoutDurability = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '128MB',
  autovacuum: 'off',
};

function settingsFor({ port, durable }: Launch): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    log_checkpoints: 'off',
    // Errors go to the client that caused them; in this file their details would be personal data.
    log_min_messages: 'log',
    ...(durable ? {} : withoutDurability),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Stops a server: open transactions are rolled back, everything committed is written (PostgreSQL's
 * fast shutdown). One that takes over a minute is cut off, and recovers at its next start.
 */
export async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.ref();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const cutOff = setTimeout(() => child.kill('SIGQUIT'), stopTimeoutMs);
  await ended;
  clearTimeout(cutOff);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Makes way for a new server on a cluster whose last owner was killed: a server that it left
 * running is shut down in order. To be called under the data dir's lock, which proves that the
 * owner is gone.
 */
export async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const left = await readPidFile(cluster);
  if (left === undefined) return;
  if (!(await serves(left.pid, cluster))) {
    // PostgreSQL removes the file itself unless the number belongs to another living process now.
    const { ok: isAlive } = await shell('kill -0 "$1"', left.pid);
    if (isAlive) await rm(join(cluster, 'postmaster.pid'), { force: true });
    return;
  }
  log(`Stopping the PostgreSQL that an earlier run left behind (process ${left.pid}).`);
  process.kill(left.pid, 'SIGINT');
  const deadline = performance.now() + stopTimeoutMs;
  while (await serves(left.pid, cluster)) {
    if (performance.now() > deadline) {
      throw new SetupError(
        `A PostgreSQL of an earlier run (process ${left.pid}) on ${cluster} does not stop. ` +
          `Stop it with "kill -QUIT ${left.pid}" and start again.`,
      );
    }
    await sleep(pollMs);
  }
}

/**
 * A process is a PostgreSQL server on this cluster if its command line names the folder. Small
 * containers have no `ps`, macOS has no `/proc`.
 */
async function serves(pid: number, cluster: string): Promise<boolean> {
  const commandLine = `tr '\\0' ' ' <"/proc/$1/cmdline" || ps -ww -o args= -p "$1"`;
  const { stdout } = await shell(commandLine, pid);
  return stdout.includes('postgres') && stdout.includes(`-D ${cluster} `);
}

const shell = (script: string, pid: number) => runProgram('sh', ['-c', script, 'sh', String(pid)]);

/** `postmaster.pid`: the process on line 1, its state on line 8 (PostgreSQL's utils/pidfile.h). */
async function readPidFile(cluster: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const file = join(cluster, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}
