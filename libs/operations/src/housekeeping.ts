import { setTimeout as sleep } from 'node:timers/promises';
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
 * @returns how to stop it: resolves when the round under way is over
 */
export function startHousekeeping(
  database: Database,
  log: Log,
  { chores = [], everyMs = 60_000 }: { chores?: readonly Chore[]; everyMs?: number } = {},
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rounds = async (): Promise<void> => {
    for (;;) {
      await sleep(everyMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      await housekeep(database, chores).catch((err: unknown) => {
        log.warn({ err }, 'housekeeping failed');
      });
    }
  };
  const ended = rounds();
  return async () => {
    stopping.abort();
    await ended;
  };
}

/**
 * One round of it: a chore that fails keeps none of the others from being done.
 * @throws AggregateError of those that failed
 */
export async function housekeep(database: Database, chores: readonly Chore[]): Promise<void> {
  const failures: unknown[] = [];
  for (const chore of [forgetReplies, ...chores]) {
    await forget(database, chore).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'chores failed');
}

async function forget(database: Database, chore: Chore): Promise<void> {
  for (let forgotten = batchSize; forgotten >= batchSize;) {
    const [row] = await database.rows(chore, []);
    forgotten = Number(row?.forgotten ?? 0);
  }
}
