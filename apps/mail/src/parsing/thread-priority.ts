import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Has this thread go behind the process's others: hostile mail keeps it busy for seconds, and whoever
 * asks for a page meanwhile must not share a core with that. On Linux a thread has a priority of its
 * own (setpriority(2)); elsewhere nothing changes.
 */
export function goBehind(): void {
  try {
    const [threadId] = /\d+$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (threadId) setPriority(Number(threadId), constants.priority.PRIORITY_LOW);
  } catch {
    // No such file, or no such right: the thread stays as it is.
  }
}
