import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { javaEnvironment } from '../config.js';
import { SetupError, messageOf } from '@postroom/service/setup-error';

const startTimeoutMs = 180_000;
const stopTimeoutMs = 30_000;
const pollMs = 50;

/** Only warnings, and the line that says that the broker accepts clients. */
const logSettings = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS',
];
const readyLine = 'Kafka Server started';

/** For specs: without the optimising compiler the broker starts in half the time. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
/** For long runs: the optimising compiler pays, and garbage collection pauses are short. */
const longRun = ['-XX:+UseG1GC'];

const classPath = (jars: string): string[] => ['-cp', join(jars, '*')];

/**
 * Prepares an empty storage folder.
 * @param users arguments that make users
 * @throws SetupError with the output of the tool
 */
export async function formatStorage(
  jars: string,
  properties: string,
  clusterId: string,
  users: readonly string[] = [],
): Promise<void> {
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties, ...users];
  try {
    const args = [...quickStart, ...classPath(jars), ...logSettings, ...tool];
    await promisify(execFile)('java', args, { env: javaEnvironment() });
  } catch (error) {
    throw new SetupError(`The broker's storage could not be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A broker that ended before it was ready, with its output. */
export interface FailedLaunch {
  readonly failure: string;
}

/** The program and files of a broker. */
export interface Launch {
  readonly jars: string;
  readonly properties: string;
  readonly logFile: string;
  /** True if the optimising compiler will pay. */
  readonly longLived: boolean;
}

/**
 * Starts a broker and resolves when it accepts clients, or with its output when it ends before.
 *
 * It leads a process group of its own, so that the terminal's Ctrl-C reaches only this process,
 * which stops the broker last; and it is killed when this process ends without having stopped it.
 */
export async function launch(options: Launch): Promise<ChildProcess | FailedLaunch> {
  const log = await open(options.logFile, 'a', 0o600);
  const { size } = await log.stat();
  const machine = [...(options.longLived ? longRun : quickStart), '-Xms64m', '-Xmx256m'];
  const args = [...machine, ...classPath(options.jars), ...logSettings];
  const child = spawn('java', [...args, 'kafka.Kafka', options.properties], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
    env: javaEnvironment(),
  });
  const spawnErrors: Error[] = [];
  child.on('error', (error) => spawnErrors.push(error));
  if (child.pid !== undefined) endWithThisProcess(child, child.pid);
  await log.close();
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (spawnErrors[0] !== undefined) return { failure: spawnErrors[0].message };
    const written = (await readFile(options.logFile)).subarray(size).toString('utf8');
    if (hasEnded(child)) return { failure: written.trim() };
    if (written.includes(readyLine)) return child;
    await sleep(pollMs);
  }
  await kill(child);
  return { failure: `not ready within ${startTimeoutMs / 1000} s; see ${options.logFile}` };
}

/**
 * A shell reads from a pipe that this process holds open and never writes to: when this process ends,
 * in whatever way, the shell kills the broker. SIGKILL, since a broker recovers from it as fast as it
 * starts, and what it has acknowledged is in the page cache.
 */
function endWithThisProcess(broker: ChildProcess, pid: number): void {
  const script = 'read -r _; kill -9 "$1"';
  const guard = spawn('sh', ['-c', script, 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => undefined);
  guard.unref();
  broker.once('exit', () => guard.kill('SIGKILL'));
}

/** Stops a broker gracefully; after half a minute it is killed, and recovers at its next start. */
export async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const cutOff = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(cutOff);
}

/** Kills a broker with SIGKILL. */
export async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;
