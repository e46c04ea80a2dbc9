import { quotaExceeded, type QuotaName } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { Reading } from './context.js';

type Rows = Pick<Reading, 'rows'>;

/** Limits of a workspace, by quota. */
export type QuotaLimits = Readonly<Partial<Record<QuotaName, number>>>;

/** The function `quota_used` is the schema's own. */
const quotaUsed = statement<{ used: number }>(
  'operations.quota_used',
  'SELECT quota_used($1, $2)::float8 AS used',
);

const lockQuota = statement<object>(
  'operations.lock_quota',
  `SELECT take_lock('quota ' || $2::text || ' ' || $1::text)`,
);

/** The amount that a workspace has used of a quota. */
export async function usedOf({ rows }: Rows, quota: QuotaName): Promise<number> {
  const [found] = await rows(quotaUsed, [quota]);
  return found?.used ?? 0;
}

/**
 * Refuses one more where a workspace has reached a quota. A lock until the commit keeps concurrent changes of the
 * workspace from passing the limit together.
 *
 * @throws Problem QUOTA_EXCEEDED
 */
export async function requireRoom(context: Rows, quota: QuotaName, limit: number): Promise<void> {
  // The count is a statement of its own: it sees what was committed before the lock was had.
  const [, used] = await Promise.all([context.rows(lockQuota, [quota]), usedOf(context, quota)]);
  if (used >= limit) throw quotaExceeded(quota, { limit, used });
}

/**
 * Refuses an amount that would exceed a quota. Concurrent changes may exceed it together, since this takes no lock:
 * a message does not wait for the commit of an import, nor a task for that of another task.
 *
 * @throws Problem QUOTA_EXCEEDED
 */
export async function requireRoomFor(
  context: Rows,
  quota: QuotaName,
  limit: number,
  more = 1,
): Promise<void> {
  const used = await usedOf(context, quota);
  if (used + more > limit) throw quotaExceeded(quota, { limit, used });
}
