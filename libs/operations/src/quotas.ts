import { quotaExceeded, type QuotaName } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { Reading } from './context.js';

type Rows = Pick<Reading, 'rows'>;

/** How much a workspace may have of what a service keeps. */
export type QuotaLimits = Readonly<Partial<Record<QuotaName, number>>>;

/** Each service's schema says how much there is of what it keeps. */
const quotaUsed = statement<{ used: number }>(
  'operations.quota_used',
  'SELECT quota_used($1, $2)::float8 AS used',
);

const lockQuota = statement<object>(
  'operations.lock_quota',
  `SELECT pg_advisory_xact_lock(hashtextextended(
     current_schema()::text || '.quota ' || $2::text || ' ' || $1::text, 0))`,
);

/** How much of something a workspace has. */
export async function usedOf({ rows }: Rows, quota: QuotaName): Promise<number> {
  const [found] = await rows(quotaUsed, [quota]);
  return found?.used ?? 0;
}

/**
 * Refuses one more of something where a workspace has as many as it may. Until the commit nobody else adds one
 * to the workspace, so that changes at the same time do not pass the limit together.
 *
 * @throws Problem QUOTA_EXCEEDED
 */
export async function requireRoom(context: Rows, quota: QuotaName, limit: number): Promise<void> {
  // The count is a statement of its own: it sees what was committed before the lock was had.
  const [, used] = await Promise.all([context.rows(lockQuota, [quota]), usedOf(context, quota)]);
  if (used >= limit) throw quotaExceeded(quota, { limit, used });
}

/**
 * Refuses so much more of something where a workspace has no room for it. What is added at the same time may
 * exceed the limit together, since nothing waits here: a message not for the commit of an import, nor a task for
 * that of another.
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
