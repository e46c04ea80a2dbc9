import type { EventActor, EventSource } from '@postroom/contracts';
import type { AuditRecord } from '@postroom/operations';
import type { StoredHead } from './audit-chain.js';

/** A record as it is stored. */
export interface RecordRow {
  readonly id: string;
  readonly at: Date;
  readonly actor_type: EventActor['type'];
  readonly actor_id: string | null;
  readonly source: EventSource;
  readonly action: string;
  readonly subject_id: string | null;
  readonly request_id: string | null;
  readonly approved_by: string | null;
  readonly duration_ms: number | null;
}

export interface EntryRow extends RecordRow {
  readonly position: number;
  readonly hash: Buffer;
}

/** The state of a chain, which every query of a chain returns; the last three are null without a head. */
export interface HeadRow {
  readonly begun: boolean;
  readonly length: number | null;
  readonly last_hash: Buffer | null;
  readonly mac: Buffer | null;
}

/** The columns of an {@link EntryRow}. */
export const entryColumns = (entry: string): string =>
  `${entry}.position::float8 AS position, ${entry}.id, ${entry}.at, ${entry}.actor_type,
   ${entry}.actor_id, ${entry}.source, ${entry}.action, ${entry}.subject_id, ${entry}.request_id,
   ${entry}.approved_by, ${entry}.duration_ms, ${entry}.hash`;

export const recordOf = (row: RecordRow): AuditRecord => ({
  id: row.id,
  at: row.at.toISOString(),
  actorType: row.actor_type,
  actorId: row.actor_id,
  source: row.source,
  action: row.action,
  subjectId: row.subject_id,
  requestId: row.request_id,
  approvedBy: row.approved_by,
  durationMs: row.duration_ms,
});

/** The head in a row; null when the chain has none. */
export const headOf = ({ length, last_hash, mac }: HeadRow): StoredHead | null =>
  length === null || last_hash === null || mac === null
    ? null
    : { length, lastHash: last_hash, mac };
