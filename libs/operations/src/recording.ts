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

/** All that a change leaves behind, in one statement, since each costs both processes more than its rows do. */
const recordChange = statement<object>(
  'operations.record_change',
  `WITH replied AS (
     INSERT INTO replies (tenant_id, dedupe_key, message_id, fingerprint, status, body, expires_at)
     SELECT $1, key, $5, $6, $7, $8, now() + kept_for FROM unnest($3::text[], $4::interval[]) r (key, kept_for)
   ), emitted AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope, traceparent)
     SELECT $1, *, $14 FROM unnest($9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[])
   ), audited AS (
     INSERT INTO audit_records
       (tenant_id, at, actor_type, actor_id, source, approved_by, id, action, subject_id, request_id, duration_ms)
     SELECT $1, $15, $16, $17, $18, $19, *
     FROM unnest($20::text[], $21::text[], $22::text[], $23::text[], $24::integer[])
   )
   INSERT INTO recorded_bytes (tenant_id, owner, bytes)
   SELECT $1, $2, bytes FROM (
     SELECT cardinality($3::text[]) * coalesce(octet_length($8::text), 0)
       + coalesce(sum(octet_length(e)), 0) AS bytes
     FROM unnest($13::text[]) e) counted
   WHERE bytes > 0`,
);

/** The owner to whom recorded bytes are counted; empty without a caller. */
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

/** Sends the reply, the events and the audit records of a change, if it has any, and then what it keeps for last. */
export function recording(
  rows: Transaction['rows'],
  { last, ...changed }: Changed & { readonly last: readonly (() => Promise<unknown>)[] },
): Promise<unknown>[] {
  const { claim, events, audits } = changed;
  const isRecorded = claim !== null || events.length > 0 || audits.length > 0;
  return [...(isRecorded ? [record(rows, changed)] : []), ...last.map((send) => send())];
}

/** Sends events to the outbox. */
export const recordEvents = (
  rows: Transaction['rows'],
  { origin, at }: Pick<Changed, 'origin' | 'at'>,
  events: readonly EmittedEvent[],
): Promise<unknown> =>
  record(rows, { origin, at, events, claim: null, outcome: undefined, audits: [] });

const record = (
  rows: Transaction['rows'],
  { origin, at, claim, events, outcome, audits }: Changed,
): Promise<unknown> =>
  rows(recordChange, [
    origin.tenantId,
    ownerOf(origin.actor),
    ...replyColumns(claim, outcome?.reply),
    ...eventColumns(events.map((event) => envelope(origin, at, event))),
    ...auditColumns(origin, at, audits),
  ]);

/** The reply of an approved write is kept for as long as the approval, so that it is never done again. */
function replyColumns(claim: Claim | null, reply: Outcome<unknown>['reply']): unknown[] {
  const keys = claim ? [claim.dedupeKey] : [];
  if (claim?.approvalId !== undefined) keys.push(approvedKey(claim.approvalId));
  const recorded = [claim?.messageId, claim?.fingerprint, reply?.status, reply?.body];
  return [keys, ['24 hours', '90 days'].slice(0, keys.length), ...recorded];
}

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
  audits: readonly Audit[],
): unknown[] => [
  at,
  ...[actor.type, actor.id, source, approvedBy],
  audits.map(() => newId('aud')),
  audits.map(({ action }) => action),
  audits.map(({ subjectId }) => subjectId),
  audits.map(({ requestId }) => requestId),
  audits.map(({ durationMs }) => durationMs ?? null),
];
