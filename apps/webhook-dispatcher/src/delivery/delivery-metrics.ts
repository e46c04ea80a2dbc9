import { statement, type Database } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';

const waiting = statement<{ due: number; oldestSeconds: number }>(
  'webhooks.deliveries_waiting',
  'SELECT due, oldest_seconds AS "oldestSeconds" FROM deliveries_waiting()',
);

/** How an attempt ended: the delivery has succeeded, is tried again, or has failed for good. */
export type AttemptOutcome = 'succeeded' | 'pending' | 'failed';

/**
 * What an operator sees of the queue: what waits there, and how attempts end.
 * @returns what counts an attempt
 */
export function watchDeliveries(
  metrics: Metrics,
  database: Database,
): (outcome: AttemptOutcome) => void {
  metrics.gauge(
    {
      name: 'postroom_webhook_deliveries_due',
      help: 'Deliveries that are due and not claimed, ten of a subscription at most.',
    },
    async () => (await database.rows(waiting, [])).map(({ due }) => ({ value: due })),
  );
  metrics.gauge(
    {
      name: 'postroom_webhook_due_oldest_seconds',
      help: 'How long the delivery that has been due longest has been.',
    },
    async () => {
      const found = await database.rows(waiting, []);
      return found.map(({ oldestSeconds }) => ({ value: oldestSeconds }));
    },
  );
  const count = metrics.counter({
    name: 'postroom_webhook_attempts_total',
    help: 'Attempts to deliver, by what became of the delivery.',
    labelNames: ['outcome'],
  });
  return (outcome) => count({ outcome });
}
