import { setTimeout as sleep } from 'node:timers/promises';
import { Signal } from '@postroom/concurrency';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { eventsCommitted, onAudit } from './commits.js';

export interface AuditLoopOptions {
  readonly database: Database;
  readonly log: Log;
  /** Records of this time are taken together (250 ms). */
  readonly gatherMs?: number;
  /** How often it looks without having been woken (1 s). */
  readonly pollMs?: number;
}

/** Takes audit records where they wait, until it is stopped. */
export interface AuditLoop {
  /** Looks at once. */
  wake(): void;
  /** Takes what is there by then, and ends. */
  stop(): Promise<void>;
}

/**
 * Calls `take` soon after audit records were committed by this process, and every second for those of
 * others. What fails is told once and tried again at the next turn.
 *
 * @param take takes what is there, and says whether more may be
 */
export function startAuditLoop(
  { database, log, gatherMs = 250, pollMs = 1_000 }: AuditLoopOptions,
  take: () => Promise<boolean>,
): AuditLoop {
  const signal = new Signal();
  const stopping = new AbortController();
  const wake = (): void => {
    signal.notify();
  };
  const unhook = onAudit(database, wake);
  let failing = false;
  const turn = async (): Promise<void> => {
    try {
      while ((await take()) && !stopping.signal.aborted);
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'audit records could not be forwarded or sealed, retrying');
      failing = true;
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn();
      await signal.wait(pollMs);
      await sleep(gatherMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    // What came since: it would wait until some process looks again.
    await turn();
  };
  const ended = run();
  return {
    wake,
    async stop() {
      unhook();
      stopping.abort();
      wake();
      await ended;
    },
  };
}

const forwardAudit = statement<{ moved: number }>(
  'operations.forward_audit',
  'SELECT forward_audit($1) AS moved',
);

/** Records of one internal event at most: some 150 KiB. */
const forwardedMax = 500;

/** Hands a service's audit records on through its outbox, for the gateway to seal. */
export const startAuditForwarding = (options: AuditLoopOptions): AuditLoop =>
  startAuditLoop(options, async () => {
    const [row] = await options.database.rows(forwardAudit, [forwardedMax]);
    const moved = row?.moved ?? 0;
    if (moved > 0) eventsCommitted(options.database);
    return moved === forwardedMax;
  });
