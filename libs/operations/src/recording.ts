import type { EventActor, EventEnvelope } from '@postroom/contracts';
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

const insertReply = statement<object>(
  'operations.insert_reply',
  `WITH counted AS (
     INSERT INTO recorded_bytes (tenant_id, owner, bytes)
     SELECT $1, $8, octet_length($6::text) WHERE $6::text IS NOT NULL
   )
   INSERT INTO replies (tenant_id, dedupe_key, message_id, fingerprint, status, body, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + $7::interval)`,
);

const insertEvents = statement<object>(
  'operations.insert_events',
  `WITH counted AS (
     INSERT INTO recorded_bytes (tenant_id, owner, bytes)
     SELECT $1, $8, sum(octet_length(e)) FROM unnest($6::text[]) e
   )
   INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope, traceparent)
   SELECT $1, *, $7 FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])`,
);

const insertAudit = statement<object>(
  'operations.insert_audit',
  `INSERT INTO audit_records
     (tenant_id, id, at, actor_type, actor_id, source, action, subject_id, request_id, approved_by,
      duration_ms)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

/** To whom recorded bytes are counted; empty where nobody asked for them. */
export const ownerOf = (actor: Pick<EventActor, 'id'>): string => actor.id ?? '';

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
  const { origin, at, claim, events, outcome, audits } = changed;
  const sent: Promise<unknown>[] = [];
  if (claim) sent.push(...recordReply(rows, origin, claim, outcome?.reply));
  if (events.length > 0) sent.push(recordEvents(rows, changed, events));
  for (const audit of audits) sent.push(rows(insertAudit, auditColumns(origin, at, audit)));
  return sent;
}

/** The reply of an approved write is kept for as long as the approval, so that it is never done again. */
function recordReply(
  rows: Transaction['rows'],
  { tenantId, actor }: Origin,
  { dedupeKey, messageId, fingerprint, approvalId }: Claim,
  reply: Outcome<unknown>['reply'],
): Promise<unknown>[] {
  const insert = (key: string, keptFor: string) => {
    const columns = [messageId, fingerprint, reply?.status ?? null, reply?.body ?? null];
    return rows(insertReply, [tenantId, key, ...columns, keptFor, ownerOf(actor)]);
  };
  const sent = [insert(dedupeKey, '24 hours')];
  if (approvalId !== undefined) sent.push(insert(approvedKey(approvalId), '90 days'));
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
    ownerOf(origin.actor),
  ]);

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
  { tenantId, actor, source, approvedBy }: Origin,
  at: Date,
  { action, subjectId, requestId, durationMs }: Audit,
): unknown[] => {
  const who = [actor.type, actor.id, source];
  const what = [action, subjectId, requestId];
  return [tenantId, newId('aud'), at, ...who, ...what, approvedBy ?? null, durationMs ?? null];
};
