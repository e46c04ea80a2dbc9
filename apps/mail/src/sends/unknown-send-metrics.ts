import { statement, type Database } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';

const waiting = statement<{ sends: number; oldestSeconds: number }>(
  'mail.unknown_sends_waiting',
  'SELECT sends, oldest_seconds AS "oldestSeconds" FROM unknown_sends_waiting()',
);

/** How many sends have an unknown outcome, and for how long: nothing sends them again. */
export function watchUnknownSends(metrics: Metrics, database: Database): void {
  metrics.gauge(
    {
      name: 'postroom_sends_unknown',
      help: 'Sends whose outcome is unknown, over all workspaces, 10,000 at most.',
    },
    async () => (await database.rows(waiting, [])).map(({ sends }) => ({ value: sends })),
  );
  metrics.gauge(
    {
      name: 'postroom_sends_unknown_oldest_seconds',
      help: 'Age of the oldest send whose outcome is unknown, over all workspaces.',
    },
    async () => {
      const found = await database.rows(waiting, []);
      return found.map(({ oldestSeconds }) => ({ value: oldestSeconds }));
    },
  );
}
