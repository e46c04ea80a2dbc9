import { quotaExceeded } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import type { Origin } from './context.js';
import { ownerOf } from './recording.js';

/** Bytes of answers and events that may be recorded in a service. */
export interface RecordedLimits {
  /** For one key or member, on a day (UTC). */
  readonly ownerDay: number;
  /** For a workspace, of those that are kept. */
  readonly workspace: number;
}

const recordersFull = statement<{ tenantId: string; owner: string; used: number }>(
  'operations.recorders_full',
  'SELECT tenant_id AS "tenantId", owner, used FROM recorders_full($1, $2)',
);

/**
 * Refuses writes of those who have had as much recorded as they may: an answer is kept for its repeats, and an event
 * for a week, however often a caller writes. It is looked up once a minute, after the bytes were counted, so that
 * a write costs nothing more.
 */
export class RecordedBytes {
  /** Bytes of owners that are full; mostly there are none. */
  full: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly database: Database,
    private readonly limits: RecordedLimits,
  ) {}

  /** Looks up who is full now. */
  async look(): Promise<void> {
    const { ownerDay, workspace } = this.limits;
    const found = await this.database.rows(recordersFull, [ownerDay, workspace]);
    this.full = new Map(found.map(({ tenantId, owner, used }) => [nameOf(tenantId, owner), used]));
  }

  /** @throws Problem QUOTA_EXCEEDED */
  requireRoom({ tenantId, actor }: Pick<Origin, 'tenantId' | 'actor'>): void {
    const ofOwner = this.full.get(nameOf(tenantId, ownerOf(actor)));
    const ofAll = this.full.get(nameOf(tenantId, ''));
    if (ofOwner !== undefined)
      throw quotaExceeded('recordedBytes', { limit: this.limits.ownerDay, used: ofOwner });
    if (ofAll !== undefined)
      throw quotaExceeded('storedBytes', { limit: this.limits.workspace, used: ofAll });
  }
}

const nameOf = (tenantId: string, owner: string): string => `${tenantId} ${owner}`;
