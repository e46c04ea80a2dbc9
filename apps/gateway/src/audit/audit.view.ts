import type { AuditEntry } from '@postroom/contracts';
import type { EntryRow } from './audit-rows.js';

/** An entry as settings and exports show it. */
export const auditEntryView = (row: EntryRow): AuditEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  actor: { type: row.actor_type, id: row.actor_id },
  source: row.source,
  action: row.action,
  subjectId: row.subject_id,
  requestId: row.request_id,
  approvedBy: row.approved_by,
  durationMs: row.duration_ms,
  position: row.position,
  hash: row.hash.toString('hex'),
});
