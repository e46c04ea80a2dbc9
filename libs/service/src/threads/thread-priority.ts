import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

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
