import type { EventEnvelope } from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { Transaction } from '@postroom/persistence';
import { statement } from '@postroom/persistence/statement';
import { traceparent } from '@postroom/tracing';
import type { EmittedEvent, Origin } from './context.js';

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
  /** One record, or one for each resource that was changed. */
  readonly audit?: Audit | readonly Audit[];
}

/** The audit record of a change, beside its origin. */
export interface Audit {
  readonly action: string;
  readonly subjectId: string | null;
  readonly requestId: string | null;
  /** Duration of the request, if the change was one. */
  readonly durationMs?: number;
}

/** Kept for as long as the approval, so that its write is never done again, however late it is repeated. */
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

/** The dedupe key under which the reply of an approved write is recorded too. */
export const approvedKey = (approvalId: string): string => `approval ${approvalId}`;

/** A change at its commit. */
interface Changed {
  readonly origin: Origin;
  readonly at: Date;
  readonly claim: Claim | null;
  readonly events: readonly EmittedEvent[];
  readonly outcome: Outcome<unknown> | undefined;
  readonly audits: readonly Audit[];
}

/** Sends the reply, the events and the audit record of a change. */
export function recording(rows: Transaction['rows'], changed: Changed): Promise<unknown>[] {
  const { origin, at, claim, events, outcome } = changed;
  const [audit, ...audits] = changed.audits;
  if (!claim && events.length === 0 && !audit) return [];
  const [first, ...more] = events;
  const columns = outcomeColumns(changed, first && envelope(origin, at, first), audit);
  const sent = [rows(recordOutcome, columns)];
  if (more.length > 0) sent.push(recordEvents(rows, changed, more));
  for (const one of audits) {
    const unsaid = Array<null>(10).fill(null);
    const columns = [origin.tenantId, ...unsaid, ...auditColumns(origin, at, one), null];
    sent.push(rows(recordOutcome, columns));
  }
  const approval = approvalColumns(claim, outcome?.reply);
  if (approval) sent.push(rows(recordApproved, [origin.tenantId, ...approval]));
  return sent;
}

/** Sends events to the outbox. */
export const recordEvents = (
  rows: Transaction['rows'],
  { origin, at }: Pick<Changed, 'origin' | 'at'>,
  events: readonly EmittedEvent[],
): Promise<object[]> =>
  rows(insertEvents, [
    origin.tenantId,
    ...eventColumns(events.map((event) => envelope(origin, at, event))),
  ]);

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
