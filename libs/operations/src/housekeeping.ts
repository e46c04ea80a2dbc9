import { statement, type Database, type Statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';

/** What a chore forgets at most in one call, if it says how many. */
const batchSize = 1_000;

/** One thing a service forgets by itself; a statement without parameters. */
export type Chore = Statement<{
  /** How many; asked again at once while it is a thousand. */
  readonly forgotten?: string;
}>;

const forgetReplies: Chore = statement(
  'operations.forget_replies',
  'SELECT forget_replies() AS forgotten',
);

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
  for (const chore of [forgetReplies, ...chores]) {
    for (let forgotten = batchSize; forgotten >= batchSize;) {
      const [row] = await database.rows(chore, []);
      forgotten = Number(row?.forgotten ?? 0);
    }
  }
}
