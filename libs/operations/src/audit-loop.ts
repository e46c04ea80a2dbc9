import { setTimeout as sleep } from 'node:timers/promises';
import { Signal } from '@postroom/concurrency';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { eventsCommitted, onAudit } from './unit-of-work.js';
import type { EventActor, EventSource } from '@postroom/contracts';

export interface AuditLoopOptions {
  readonly database: Database;
  readonly log: Log;
  /** Records committed within this time are taken together (250 ms). */
  readonly gatherMs?: number;
  /** The interval at which it looks for records that no commit of this process has announced (1 s). */
  readonly pollMs?: number;
}

/** Takes audit records where they wait, until it is stopped. */
export interface AuditLoop {
  /** Looks for records now. */
  wake(): void;
  /** Takes the records that are there by then, and ends. */
  stop(): Promise<void>;
}

/**
 * Calls `take` soon after this process has committed audit records, and every second for those of other
 * processes. A failure is logged once and tried again.
 *
 * @param take takes a batch of records, and answers whether there may be more
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
  const takeAll = async (): Promise<void> => {
    try {
      while ((await take()) && !stopping.signal.aborted);
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'audit records could not be forwarded or sealed, retrying');
      failing = true;
    }
  };
  const takeUntilStopped = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await takeAll();
      await signal.wait(pollMs);
      await sleep(gatherMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    // Records that came since would wait until some process looks again.
    await takeAll();
  };
  const ended = takeUntilStopped();
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

/** Forwards a service's audit records through its outbox to the gateway, which seals them. */
export const startAuditForwarding = (options: AuditLoopOptions): AuditLoop =>
  startAuditLoop(options, async () => {
    const [row] = await options.database.rows(forwardAudit, [forwardedMax]);
    const moved = row?.moved ?? 0;
    if (moved > 0) eventsCommitted(options.database);
    return moved === forwardedMax;
  });

/** The audit's record of a change: who did what to which resource, and never its content. */
export interface AuditRecord {
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly actorType: EventActor['type'];
  readonly actorId: string | null;
  readonly source: EventSource;
  /** The operation's id, or another word for a change that is no operation. */
  readonly action: string;
  readonly subjectId: string | null;
  readonly requestId: string | null;
  /** The member who approved the write; null if it needed no approval. */
  readonly approvedBy?: string | null;
  /** Duration of the request; null for a change that was none. */
  readonly durationMs?: number | null;
}

/**
 * The data of the internal event `audit.recorded`, by which a service hands its records to the gateway, in the
 * order in which they were made.
 */
export interface AuditRecorded {
  readonly records: readonly AuditRecord[];
}
