import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The report of a process that failed to carry out an order. */
export interface Failed {
  readonly failed: string;
}

/**
 * Gives an order to a process of the bench and awaits its report; one order at a time.
 * @throws Error when the process reports a failure, or ends
 */
export async function tell<Report extends object>(
  child: ChildProcess,
  order: object | string,
): Promise<Report> {
  const listening = new AbortController();
  const { signal } = listening;
  try {
    const answered = once(child, 'message', { signal });
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`the process ended with ${String(code)}`);
    });
    child.send(order);
    const [report] = (await Promise.race([answered, ended])) as [Report | Failed];
    if ('failed' in report) throw new Error(report.failed);
    return report;
  } finally {
    listening.abort();
  }
}

/** Stops a process of the bench gracefully. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}
