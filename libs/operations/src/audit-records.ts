import type { EventActor, EventSource } from '@postroom/contracts';

/** What is kept of a change for the audit: who did what to what, never what was said. */
export interface AuditRecord {
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly actorType: EventActor['type'];
  readonly actorId: string | null;
  readonly source: EventSource;
  /** The operation's id, or a word of its own for what is no operation. */
  readonly action: string;
  readonly subjectId: string | null;
  readonly requestId: string | null;
  /** The member who approved it, of a write that had to wait; older records say nothing. */
  readonly approvedBy?: string | null;
  /** How long the request took; older records say nothing. */
  readonly durationMs?: number | null;
}

/**
 * What a service tells the sealer by the internal event `audit.recorded`, in the order its records were
 * made.
 */
export interface AuditRecorded {
  readonly records: readonly AuditRecord[];
}
