import type { Database } from '@postroom/persistence';
import { eventGroups } from '@postroom/contracts/events';
import { isSandbox } from '@postroom/contracts/ids';
import { statement } from '@postroom/persistence/statement';
import type { Reading } from './context.js';
import { onWake, wakeAll, type Wakes } from './unit-of-work.js';

const readNow = statement<{ now: Date }>(
  'operations.workspace_now',
  'SELECT workspace_now($1) AS now',
);

const move = statement<{ moved: boolean }>(
  'operations.move_clock',
  'SELECT move_clock($1, $2) AS moved',
);

/** The clock of a sandbox in a service, and what there is to do. */
interface ClockLook {
  readonly aheadMs: number;
  readonly nextMs: number | null;
  readonly isBusy: boolean;
  readonly published: string[];
}

/** Events that are looked for where they are recorded: the newest, which are there last. */
const publishedMax = 500;

const look = statement<ClockLook>(
  'operations.look_at_clock',
  `SELECT c.ahead_ms AS "aheadMs", c.next_ms AS "nextMs", c.is_busy OR e.waiting AS "isBusy", e.published
   FROM look_at_clock($1) c, events_since($1, $2, $3, ${publishedMax}) e`,
);

const publicTypes = Object.values(eventGroups).flat();

/** The time in a workspace: that of a sandbox may be ahead. */
export async function workspaceNow({
  tenantId,
  rows,
}: Pick<Reading, 'tenantId' | 'rows'>): Promise<Date> {
  const [read] = isSandbox(tenantId) ? await rows(readNow, []) : [];
  return read?.now ?? new Date();
}

const clocks: Wakes = new WeakMap();

/**
 * Calls `wake` when a clock has been moved by this process, or waits for things that are due.
 * @returns how to stop it
 */
export const onClock = (database: Database, wake: () => void): (() => void) =>
  onWake(clocks, database, wake);

/**
 * Moves the clock of a sandbox so far ahead, where it is not there yet, and looks what there is to do.
 * @param since the (real) time from which on published events are named
 */
export async function moveClock(
  database: Database,
  tenantId: string,
  { aheadMs, since }: { readonly aheadMs: number; readonly since: string },
): Promise<ClockLook> {
  const [moved] = await database.rows(move, [tenantId, aheadMs], tenantId);
  if (moved?.moved) wakeAll(clocks, database);
  const [seen] = await database.rows(look, [tenantId, since, publicTypes], tenantId);
  if (!seen) throw new Error('a clock can be looked at');
  // A write may have made something due since, for which the caller waits.
  if (seen.isBusy) wakeAll(clocks, database);
  return seen;
}
