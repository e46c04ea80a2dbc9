/** Starting worker threads and their priorities; imports nothing else, so that a thread starts quickly. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';

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

/** A task for a thread; a message on the port reports that it has begun, so that a start is not timed. */
export interface StartedTask<T> {
  readonly task: T;
  readonly started: MessagePort;
}

/** Makes the default export of a `FairThread`'s file: it works on tasks at a lower priority. */
export function taskOfThread<T, A>(work: (task: T) => A): (started: StartedTask<T>) => A {
  lowerPriority('below normal');
  return ({ task, started }) => {
    started.postMessage(null);
    started.close();
    return work(task);
  };
}

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
const niceness = { 'below normal': PRIORITY_BELOW_NORMAL, low: PRIORITY_LOW };

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
    if (threadId) setPriority(Number(threadId), niceness[to]);
  } catch {
    // There is no such file, or no permission: the thread keeps its priority.
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
    if (name === 'V8Worker\n') setPriority(Number(threadId), niceness['below normal']);
  } catch {
    // The thread has ended meanwhile.
  }
}
