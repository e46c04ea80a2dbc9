import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';

const minuteMs = 60_000;
/** What one call of `forget_replies` forgets at most. */
const batchSize = 1_000;

const forgetReplies = statement<{ forgotten: string }>(
  'housekeeping.forget_replies',
  'SELECT forget_replies() AS forgotten',
);

/** Forgets recorded replies past their 24 hours, now and then. @returns how to stop it */
export function startHousekeeping(database: Database, log: Log, everyMs = minuteMs): () => void {
  const timer = setInterval(() => {
    forget(database).catch((err: unknown) => log.warn({ err }, 'housekeeping failed'));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function forget(database: Database): Promise<void> {
  for (let forgotten = batchSize; forgotten >= batchSize;) {
    const [row] = await database.rows(forgetReplies, []);
    forgotten = Number(row?.forgotten ?? 0);
  }
}
