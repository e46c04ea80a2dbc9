import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
const niceness = { 'a little': PRIORITY_BELOW_NORMAL, low: PRIORITY_LOW };

/**
 * Has this thread go behind the process's others: hostile mail keeps it busy for seconds, and whoever
 * asks for a page meanwhile must not share a core with that. On Linux a thread has a priority of its
 * own (setpriority(2)), which the threads that it starts begin with; elsewhere nothing changes.
 *
 * @param by `low` for what can be waited for, `a little` for what should not starve
 */
export function goBehind(by: 'a little' | 'low'): void {
  try {
    const [threadId] = /\d+$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (threadId) setPriority(Number(threadId), niceness[by]);
  } catch {
    // No such file, or no such right: the thread stays as it is.
  }
}

/**
 * Has the threads that collect and compile for all of this process go a little behind: most of what
 * they do is for the threads of hostile mail, and at the process's own priority they took both cores.
 * No further behind: the process waits for what they have begun, on a busy machine too
 * (docs/adr/0035). They live as long as it does.
 */
export function helpersGoBehind(): void {
  try {
    readdirSync('/proc/self/task').forEach(goesBehindIfHelper);
  } catch {
    // No such folder: they stay as they are.
  }
}

function goesBehindIfHelper(threadId: string): void {
  try {
    const name = readFileSync(`/proc/self/task/${threadId}/comm`, 'utf8');
    if (name === 'V8Worker\n') setPriority(Number(threadId), niceness['a little']);
  } catch {
    // Another thread, which has ended meanwhile.
  }
}
