import { startRounds } from '@postroom/concurrency';
import type { Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { tellReminders } from './tell-reminders.js';

/**
 * Tells reminders as they become due; any number of replicas may do it at once.
 * @returns how to stop it: resolves when the round under way is over
 */
export const startReminders = (parts: {
  readonly database: Database;
  readonly log: Log;
}): (() => Promise<void>) =>
  startRounds(
    async (stopping) => {
      let isMore = true;
      while (isMore && !stopping.aborted) isMore = await tellReminders(parts);
    },
    {
      everyMs: 1_000,
      onFailure: (err) => parts.log.warn({ err }, 'reminders could not be told, trying again'),
    },
  );
