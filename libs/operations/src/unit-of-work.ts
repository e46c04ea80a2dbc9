import type { EventEnvelope } from '@postroom/contracts';
import { newId, Problem } from '@postroom/contracts/plain';
import { statement, type Database, type Transaction } from '@postroom/persistence';
import { traceparent } from '@postroom/tracing';
import { auditCommitted, eventsCommitted } from './commits.js';
import type { Changing, EmittedEvent, Origin } from './context.js';
import { isLockTimeout } from './faults.js';

/** A write's dedupe key, and the request that it belongs to. */
export interface Claim {
  readonly dedupeKey: string;
  readonly messageId: string;
  readonly fingerprint: string;
  /** The approval that the write executes, under which the reply is recorded too. */
  readonly approvalId?: string | undefined;
}

/** The reply that was recorded for a dedupe key. */
export interface RecordedReply {
  readonly message_id: string;
  readonly fingerprint: string;
  readonly status: number;
  /** Null when the answer contained a secret. */
  readonly body: string | null;
}

/** The result of a change, and what is recorded in its commit. */
export interface Outcome<T> {
  readonly value: T;
  /** The reply to record under the claim. */
  readonly reply?: { readonly status: number; readonly body: string | null };
  /** Several, where each thing that was changed has one of its own. */
  readonly audit?: Audit | readonly Audit[];
}

/** What the audit is to hold of a change, beside who made it. */
export interface Audit {
  readonly action: string;
  readonly subjectId: string | null;
  readonly requestId: string | null;
  /** How long the request took, where it was one. */
  readonly durationMs?: number;
}

export interface UnitOptions {
  /**
   * Whether audit records do not say how long a request took: a gateway of 0.1.0 seals them without, and the link
   * of the chain that it makes would not be that of the entry.
   */
  readonly leavesDurationsOut?: boolean;
}

/** Thrown when a reply is recorded for the claim's key; nothing was changed. */
export class AlreadyAnswered extends Error {
  constructor(
    readonly claim: Claim,
    readonly recorded: RecordedReply,
  ) {
    super('already answered');
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

/** Kept for as long as the approval: its write is never done again, however late it is asked for. */
const recordApproved = statement<object>(
  'operations.record_approved',
  `INSERT INTO replies (tenant_id, dedupe_key, message_id, fingerprint, status, body, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + interval '90 days')`,
);

/**
 * Takes the first event as single values: there is usually one only, and an array would have its
 * envelope escaped by the driver and parsed again by PostgreSQL.
 */
const recordOutcome = statement<object>(
  'operations.record_outcome',
  `WITH reply AS (
     INSERT INTO replies
       (tenant_id, dedupe_key, message_id, fingerprint, status, body, expires_at)
     SELECT $1, $2, $3, $4, $5::smallint, $6, now() + interval '24 hours' WHERE $2::text IS NOT NULL
   ), events AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope, traceparent)
     SELECT $1, $7, $8, $9, $10::bigint, $11, $22 WHERE $7::text IS NOT NULL
   )
   INSERT INTO audit_records
     (tenant_id, id, at, actor_type, actor_id, source, action, subject_id, request_id, approved_by,
      duration_ms)
   SELECT $1, $12, $13::timestamptz, $14, $15, $16, $17, $18, $19, $20, $21::integer WHERE $12::text IS NOT NULL`,
);

const insertEvents = statement<object>(
  'operations.insert_events',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope, traceparent)
   SELECT $1, *, $7 FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])`,
);

const setReadOnly = statement<object>('operations.read_only', 'SET TRANSACTION READ ONLY');

/**
 * One change under one tenant: what `work` writes, its events, its audit record and its recorded
 * reply are committed together. BEGIN is pipelined with the claim and COMMIT with the record, so all of it costs
 * two round trips beside the work's own.
 */
export class UnitOfWork {
  constructor(
    private readonly database: Database,
    private readonly options: UnitOptions = {},
  ) {}

  /**
   * @throws AlreadyAnswered when the claim's key has a reply
   * @throws Problem DUPLICATE_IN_PROGRESS when another request holds the key for too long
   */
  async run<T>(
    origin: Origin,
    claim: Claim | null,
    work: (changing: Changing) => Promise<Outcome<T>>,
  ): Promise<T> {
    const { tenantId } = origin;
    const at = new Date();
    const events: EmittedEvent[] = [];
    const savepoint = { emitted: false };
    let outcome: Outcome<T> | undefined;
    const value = await this.database.transaction(
      {
        begin: (rows) => (claim ? takeKey(rows, tenantId, claim) : enterTenant(rows, tenantId)),
        commit: (rows) =>
          recording(rows, { origin, at, claim, events, outcome, audits: this.auditsOf(outcome) }),
      },
      async ({ manager, rows }, recorded) => {
        if (claim && recorded) throw new AlreadyAnswered(claim, recorded);
        outcome = await work({
          tenantId,
          at,
          manager,
          rows: (statement, values) => rows(statement, [tenantId, ...values]),
          emit: (event) => events.push(event),
          emitInSavepoint: async (event, beside) => {
            const columns = [tenantId, ...eventColumns([envelope(origin, at, event)])];
            const send = () => [...beside(), rows(insertEvents, columns)];
            const isSaved = await inSavepoint(rows, send);
            savepoint.emitted ||= isSaved;
            return isSaved;
          },
        });
        return outcome.value;
      },
    );

    if (events.length > 0 || savepoint.emitted) eventsCommitted(this.database);
    if (this.auditsOf(outcome).length > 0) auditCommitted(this.database);
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
    );
  }

  private auditsOf(outcome: Outcome<unknown> | undefined): readonly Audit[] {
    const audits = [outcome?.audit ?? []].flat();
    if (this.options.leavesDurationsOut !== true) return audits;
    return audits.map(({ durationMs: _, ...audit }) => audit);
  }
}

const savepoint = statement<object>('operations.savepoint', 'SAVEPOINT event');
const release = statement<object>('operations.release', 'RELEASE SAVEPOINT event');
const rollBack = statement<object>('operations.roll_back', 'ROLLBACK TO SAVEPOINT event');

/**
 * Runs the statements of `send` in a savepoint. If one fails they are rolled back to it, and the
 * transaction goes on.
 *
 * @returns whether they succeeded
 * @throws when the transaction cannot go on
 */
async function inSavepoint(
  rows: Transaction['rows'],
  send: () => readonly Promise<unknown>[],
): Promise<boolean> {
  const sent = [rows(savepoint, []), ...send(), rows(release, [])];
  const all = await Promise.allSettled(sent);
  if (all.every(({ status }) => status === 'fulfilled')) return true;
  await rows(rollBack, []);
  return false;
}

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

const approvedKey = (approvalId: string): string => `approval ${approvalId}`;

/** What is known of a change when it is committed. */
interface Changed {
  readonly origin: Origin;
  readonly at: Date;
  readonly claim: Claim | null;
  readonly events: readonly EmittedEvent[];
  readonly outcome: Outcome<unknown> | undefined;
  readonly audits: readonly Audit[];
}

/** Sends the reply, the events and the audit record of a change. */
function recording(rows: Transaction['rows'], changed: Changed): Promise<unknown>[] {
  const { origin, at, claim, events, outcome } = changed;
  const [audit, ...audits] = changed.audits;
  if (!claim && events.length === 0 && !audit) return [];
  const [first, ...more] = events.map((event) => envelope(origin, at, event));
  const columns = outcomeColumns(changed, first, audit);
  const sent = [rows(recordOutcome, columns)];
  if (more.length > 0) sent.push(rows(insertEvents, [origin.tenantId, ...eventColumns(more)]));
  for (const one of audits) {
    const unsaid = Array<null>(10).fill(null);
    const columns = [origin.tenantId, ...unsaid, ...auditColumns(origin, at, one), null];
    sent.push(rows(recordOutcome, columns));
  }
  const approval = approvalColumns(claim, outcome?.reply);
  if (approval) sent.push(rows(recordApproved, [origin.tenantId, ...approval]));
  return sent;
}

const approvalColumns = (
  claim: Claim | null,
  reply: Outcome<unknown>['reply'],
): readonly unknown[] | null => {
  if (claim?.approvalId === undefined) return null;
  const [, ...columns] = replyColumns(claim, reply);
  return [approvedKey(claim.approvalId), ...columns];
};

const outcomeColumns = (
  { origin, at, claim, outcome }: Changed,
  event: EventEnvelope | undefined,
  audit: Audit | undefined,
): unknown[] => [
  origin.tenantId,
  ...replyColumns(claim, outcome?.reply),
  ...(event
    ? [event.id, event.type, event.resource.id, event.sequence, JSON.stringify(event)]
    : Array<null>(5).fill(null)),
  ...auditColumns(origin, at, audit),
  traceparent(),
];

const replyColumns = (claim: Claim | null, reply: Outcome<unknown>['reply']): unknown[] => {
  if (!claim) return Array<null>(5).fill(null);
  const { dedupeKey, messageId, fingerprint } = claim;
  return [dedupeKey, messageId, fingerprint, reply?.status ?? null, reply?.body ?? null];
};

const envelope = (origin: Origin, at: Date, event: EmittedEvent): EventEnvelope => ({
  id: event.id ?? newId('evn'),
  type: event.type,
  occurredAt: at.toISOString(),
  tenantId: origin.tenantId,
  apiVersion: 'v1',
  resource: event.resource,
  sequence: event.sequence,
  actor: origin.actor,
  source: origin.source,
  ...(origin.approvedBy !== undefined && {
    approvedBy: { type: 'member', id: origin.approvedBy } as const,
  }),
  data: event.data,
  previous: event.previous ?? null,
});

/** One array per column, and the trace of all of them. The envelope is stored as text, so that its escapes, NUL included, stay escaped. */
const eventColumns = (events: readonly EventEnvelope[]): unknown[] => [
  events.map(({ id }) => id),
  events.map(({ type }) => type),
  events.map(({ resource }) => resource.id),
  events.map(({ sequence }) => sequence),
  events.map((event) => JSON.stringify(event)),
  traceparent(),
];

const auditColumns = (
  { actor, source, approvedBy }: Origin,
  at: Date,
  audit: Audit | undefined,
): unknown[] => {
  if (!audit) return Array<null>(10).fill(null);
  const { action, subjectId, requestId, durationMs = null } = audit;
  const who = [actor.type, actor.id, source];
  const what = [action, subjectId, requestId];
  return [newId('aud'), at.toISOString(), ...who, ...what, approvedBy ?? null, durationMs];
};
