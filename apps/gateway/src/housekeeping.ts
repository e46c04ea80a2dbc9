import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';

const everyMs = 60_000;
/** What one call of `forget_replies` forgets at most. */
const batchSize = 1_000;

const forgetReplies = statement<{ forgotten: string }>(
  'access.forget_replies',
  'SELECT forget_replies() AS forgotten',
);
const forgetEnded = statement<object>('access.forget_ended', 'SELECT forget_ended()');

/** Forgets sessions, links and recorded replies past their life, every minute. @returns how to stop it */
export function startHousekeeping(database: Database, log: Log): () => void {
  const timer = setInterval(() => {
    forget(database).catch((err: unknown) => {
      log.warn({ err }, 'housekeeping failed');
    });
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** One round of it. */
export async function forget(database: Database): Promise<void> {
  await database.rows(forgetEnded, []);
  for (let forgotten = batchSize; forgotten >= batchSize;) {
    const [row] = await database.rows(forgetReplies, []);
    forgotten = Number(row?.forgotten ?? 0);
  }
}
