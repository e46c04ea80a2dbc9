/** Starting worker threads and their priorities; imports nothing else, so that a thread starts quickly. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort, Worker } from 'node:worker_threads';

/** The file that a thread runs, and the Node options that it needs. */
export interface ThreadFile {
  readonly filename: string;
  readonly execArgv: string[];
}

/**
 * Locates the module that a thread runs: it has the extension of the module that starts the thread.
 *
 * @param beside `import.meta.url` of the module that starts the thread, in the same folder
 * @param name of the file, without its extension
 */
export const threadFile = (beside: string, name: string): ThreadFile => ({
  filename: fileURLToPath(new URL(name + extname(beside), beside)),
  execArgv: process.execArgv.filter(isForThreads),
});

/**
 * Options that decide how modules are loaded. Profiling options stay with the process: a thread's
 * profile would replace the process's.
 */
const isForThreads = (option: string): boolean =>
  option === '--enable-source-maps' || option.startsWith('--import=');

/** A task for a thread; as it begins, the CPU time that the thread has used before is posted on the port. */
export interface StartedTask<T> {
  readonly task: T;
  readonly started: MessagePort;
}

/** Makes the default export of a `FairThread`'s file: it works on tasks at a lower priority. */
export function taskOfThread<T, A>(work: (task: T) => A): (started: StartedTask<T>) => A {
  lowerPriority('below normal');
  return ({ task, started }) => {
    started.postMessage(process.threadCpuUsage());
    started.close();
    return work(task);
  };
}

/** Added to that of the process; beside busy programs a thread at 19 gets nothing at all, and its callers' deadlines pass. */
const niceness = { 'below normal': 5, low: 10 };

const lower = (threadId: string, to: keyof typeof niceness): void => {
  setPriority(Number(threadId), Math.min(getPriority(process.pid) + niceness[to], 19));
};

/**
 * Lowers the priority of the calling thread below the other threads of the process, for work that
 * may keep a core busy for seconds (hostile mail) while requests are served. On Linux each thread has
 * a priority of its own (setpriority(2)), which the threads that it starts inherit; elsewhere nothing
 * changes.
 *
 * @param to `low` for work that can wait, `below normal` for work that must not starve
 */
export function lowerPriority(to: keyof typeof niceness): void {
  try {
    const threadId = readlinkSync('/proc/thread-self').split('/').at(-1);
    if (threadId) lower(threadId, to);
  } catch {
    // There is no such file, or no permission: the thread keeps its priority.
  }
}

/** A thread is looked at again no earlier than this. */
const lookMsMin = 50;

/** A task has hung then, however little CPU it got: half of what a sender waits for (RFC 5321 §4.5.3.2.6). */
const hangMs = 5 * 60_000;

/**
 * Resolves when a thread has worked for so long: the clock runs on while a busy machine gives it no core.
 * @param since what it had worked before
 * @throws when `signal` is aborted, or the thread ends
 */
export async function hasWorked(
  thread: Worker,
  since: NodeJS.CpuUsage,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + hangMs;
  for (let leftMs = limitMs; leftMs > 0 && performance.now() < until;) {
    await sleep(Math.max(leftMs, lookMsMin), undefined, { signal });
    const { user, system } = await thread.cpuUsage(since);
    leftMs = limitMs - (user + system) / 1000;
  }
}

/**
 * Lowers the priority of V8's worker threads, which collect garbage and compile for the whole process:
 * most of what they do is for the threads that parse hostile mail, and at normal priority they took
 * both cores. It is not lowered further, because the process waits for work that they have begun
 * (docs/adr/0035). It stays lowered until the process ends.
 */
export function lowerV8Priority(): void {
  try {
    readdirSync('/proc/self/task').forEach(lowerIfV8Worker);
  } catch {
    // There is no such folder: they keep their priority.
  }
}

function lowerIfV8Worker(threadId: string): void {
  try {
    const name = readFileSync(`/proc/self/task/${threadId}/comm`, 'utf8');
    if (name === 'V8Worker\n') lower(threadId, 'low');
  } catch {
    // The thread has ended meanwhile.
  }
}
