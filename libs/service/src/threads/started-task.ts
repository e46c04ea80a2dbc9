import type { MessagePort } from 'node:worker_threads';
import { lowerPriority } from './thread-priority.js';

/** A task for a thread; it says on the port when it begins, so that a start is not timed. */
export interface StartedTask<T> {
  readonly task: T;
  readonly started: MessagePort;
}

/** What the file of a `FairThread` exports by default: the work on its tasks, at a lower priority. */
export function taskOfThread<T, A>(work: (task: T) => A): (started: StartedTask<T>) => A {
  lowerPriority('below normal');
  return ({ task, started }) => {
    started.postMessage(null);
    started.close();
    return work(task);
  };
}
