import type { Database, Transaction } from '@postroom/persistence';
import { isSandbox } from '@postroom/contracts/ids';
import { Problem } from '@postroom/contracts/problems';
import { statement } from '@postroom/persistence/statement';
import type { Changing, EmittedEvent, Origin } from './context.js';
import { isLockTimeout } from './faults.js';
import { inSavepoint } from './savepoint.js';
import {
  approvedKey,
  recordEvents,
  recording,
  type Audit,
  type Claim,
  type Outcome,
  type RecordedReply,
} from './recording.js';

/** Thrown when a reply is recorded for the claim's key; nothing was changed. */
export class AlreadyAnswered extends Error {
  constructor(
    readonly claim: Claim,
    readonly recorded: RecordedReply,
  ) {
    super('already answered');
  }
}

/**
 * Thrown in a transaction by work that has to know something that takes time, such as what a thread computes: the
 * transaction is rolled back, `obtain` runs with none open, and the work begins again. It remembers what it
 * has obtained, and `obtain` refuses when that takes too long, so that it does not begin for ever.
 */
export class NeededFirst extends Error {
  constructor(readonly obtain: () => Promise<unknown>) {
    super('needed before the transaction');
  }
}

const setTenant = statement<{ set_config: string }>(
  'operations.set_tenant',
  `SELECT set_config('postroom.tenant', $1, true)`,
);

const claimKey = statement<{ reply: RecordedReply | null }>(
  'operations.claim_key',
  'SELECT claim_key($1, $2) AS reply',
);

const claimApproved = statement<{ reply: RecordedReply | null }>(
  'operations.claim_approved',
  'SELECT claim_approved($1, $2, $3) AS reply',
);

// The clock of a sandbox stands still for its changes: what they write waits for the time that they were told.
const holdClock = statement<{ aheadMs: number }>(
  'operations.hold_clock',
  'SELECT hold_clock($1) AS "aheadMs"',
);

const setReadOnly = statement<object>('operations.read_only', 'SET TRANSACTION READ ONLY');

/**
 * One change under one tenant: what `work` writes, its events, its audit record and its recorded
 * reply are committed together. BEGIN is pipelined with the claim and COMMIT with the record, so all of it costs
 * two round trips beside the work's own.
 */
export class UnitOfWork {
  constructor(private readonly database: Database) {}

  /**
   * @throws AlreadyAnswered when the claim's key has a reply
   * @throws Problem DUPLICATE_IN_PROGRESS when another request holds the key for too long
   */
  async change<T>(
    origin: Origin,
    claim: Claim | null,
    work: (changing: Changing) => Promise<Outcome<T>>,
  ): Promise<T> {
    // The time is the same when the work begins again, since what it needed first may be about it.
    const nowMs = Date.now();
    for (;;) {
      try {
        return await this.runOnce(origin, claim, nowMs, work);
      } catch (error) {
        if (!(error instanceof NeededFirst)) throw error;
        await error.obtain();
      }
    }
  }

  private async runOnce<T>(
    origin: Origin,
    claim: Claim | null,
    nowMs: number,
    work: (changing: Changing) => Promise<Outcome<T>>,
  ): Promise<T> {
    const { tenantId } = origin;
    let at: Date;
    const events: EmittedEvent[] = [];
    const last: (() => Promise<unknown>)[] = [];
    const savepoint = { emitted: false };
    let outcome: Outcome<T> | undefined;
    const value = await this.database.transaction(
      {
        begin: async (rows) => {
          const [begun, [held]] = await Promise.all([
            claim ? takeKey(rows, tenantId, claim) : enterTenant(rows, tenantId),
            isSandbox(tenantId) ? rows(holdClock, [tenantId]) : [],
          ]);
          at = new Date(nowMs + (held?.aheadMs ?? 0));
          return begun;
        },
        commit: (rows) =>
          recording(rows, { origin, at, claim, events, outcome, audits: auditsOf(outcome), last }),
      },
      async ({ manager, rows }, recorded) => {
        if (claim && recorded) throw new AlreadyAnswered(claim, recorded);
        outcome = await work({
          tenantId,
          at,
          manager,
          rows: (statement, values) => rows(statement, [tenantId, ...values]),
          last: (send) => last.push(send),
          emit: (event) => events.push(event),
          emitInSavepoint: async (event, beside) => {
            const send = () => [...beside(), recordEvents(rows, { origin, at }, [event])];
            const isSaved = await inSavepoint(rows, send);
            savepoint.emitted ||= isSaved;
            return isSaved;
          },
        });
        return outcome.value;
      },
      tenantId,
    );

    if (events.length > 0 || savepoint.emitted) eventsCommitted(this.database);
    if (auditsOf(outcome).length > 0) auditCommitted(this.database);
    return value;
  }

  /** Reads under one tenant in a transaction in which PostgreSQL refuses every write. */
  readOnly<T>(
    { tenantId }: Pick<Origin, 'tenantId'>,
    read: (transaction: Pick<Changing, 'manager' | 'rows'>) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(
      {
        begin: (rows) => Promise.all([enterTenant(rows, tenantId), rows(setReadOnly, [])]),
        commit: () => [],
      },
      ({ manager, rows }) =>
        read({ manager, rows: (statement, values) => rows(statement, [tenantId, ...values]) }),
      tenantId,
    );
  }
}

const auditsOf = (outcome: Outcome<unknown> | undefined): readonly Audit[] =>
  [outcome?.audit ?? []].flat();

const enterTenant = async (rows: Transaction['rows'], tenantId: string): Promise<null> => {
  await rows(setTenant, [tenantId]);
  return null;
};

/** Answers the reply recorded for the claim; if there is none, the key is this transaction's. */
const takeKey = async (
  rows: Transaction['rows'],
  tenantId: string,
  { dedupeKey, approvalId }: Claim,
): Promise<RecordedReply | null> => {
  try {
    const [claimed] = await (approvalId === undefined
      ? rows(claimKey, [tenantId, dedupeKey])
      : rows(claimApproved, [tenantId, dedupeKey, approvedKey(approvalId)]));
    return claimed?.reply ?? null;
  } catch (error) {
    if (isLockTimeout(error)) throw new Problem('DUPLICATE_IN_PROGRESS', { cause: error });
    throw error;
  }
};

export type Wakes = WeakMap<Database, Set<() => void>>;

const eventWakes: Wakes = new WeakMap();
const auditWakes: Wakes = new WeakMap();

/**
 * Calls `wake` after each commit of this process that left events in the database's outbox. Within the
 * process, because NOTIFY in every commit has PostgreSQL make them one after the other (docs/adr/0014).
 * @returns how to stop it
 */
export const onEvents = (database: Database, wake: () => void): (() => void) =>
  onWake(eventWakes, database, wake);

/** Calls `wake` after each commit of this process that left audit records. */
export const onAudit = (database: Database, wake: () => void): (() => void) =>
  onWake(auditWakes, database, wake);

/** Wakes the relay: this process has committed events. */
export const eventsCommitted = (database: Database): void => wakeAll(eventWakes, database);

/** Wakes the forwarding of audit records: this process has committed some. */
const auditCommitted = (database: Database): void => wakeAll(auditWakes, database);

export function onWake(wakes: Wakes, database: Database, wake: () => void): () => void {
  const listening = wakes.get(database) ?? new Set();
  wakes.set(database, listening.add(wake));
  return () => listening.delete(wake);
}

export function wakeAll(wakes: Wakes, database: Database): void {
  for (const wake of wakes.get(database) ?? []) wake();
}
