import { statement, type Database, type Statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';

/** What one call of `forget_replies` forgets at most. */
const batchSize = 1_000;

const forgetReplies = statement<{ forgotten: string }>(
  'operations.forget_replies',
  'SELECT forget_replies() AS forgotten',
);

/** One thing a service forgets by itself; a statement without parameters. */
export type Chore = Statement<object>;

/**
 * Forgets, every minute, recorded replies past their 24 hours and what a service's own chores name.
 * @returns how to stop it
 */
export function startHousekeeping(
  database: Database,
  log: Log,
  { chores = [], everyMs = 60_000 }: { chores?: readonly Chore[]; everyMs?: number } = {},
): () => void {
  const timer = setInterval(() => {
    housekeep(database, chores).catch((err: unknown) => {
      log.warn({ err }, 'housekeeping failed');
    });
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** One round of it. */
export async function housekeep(database: Database, chores: readonly Chore[]): Promise<void> {
  for (let forgotten = batchSize; forgotten >= batchSize;) {
    const [row] = await database.rows(forgetReplies, []);
    forgotten = Number(row?.forgotten ?? 0);
  }
  for (const chore of chores) await database.rows(chore, []);
}
