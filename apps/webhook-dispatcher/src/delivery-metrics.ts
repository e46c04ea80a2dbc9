import { timeOfId } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import type { Metrics } from '@postroom/service';
import { leaseMs, type ClaimedDelivery } from './claims.js';

const waiting = statement<{ due: number; oldestSeconds: number }>(
  'webhooks.deliveries_waiting',
  'SELECT due, oldest_seconds AS "oldestSeconds" FROM deliveries_waiting($1)',
);

/** The delivery after an attempt: it has succeeded, is tried again, or has failed for good. */
export type AttemptOutcome = 'succeeded' | 'pending' | 'failed';

/** Counts attempts. */
export interface DeliveryMetrics {
  /** Observes the delay of an attempt whose subscription did not itself make it wait. */
  attemptStarted(delivery: ClaimedDelivery): void;
  attemptEnded(outcome: AttemptOutcome): void;
}

/** Registers the metrics of the queue: its length and age, the delay of attempts and their outcomes. */
export function watchDeliveries(metrics: Metrics, database: Database): DeliveryMetrics {
  metrics.gauge(
    {
      name: 'postroom_webhook_deliveries_due',
      help: 'Deliveries that are due and not claimed, ten of a subscription at most.',
    },
    async () => (await database.rows(waiting, [leaseMs])).map(({ due }) => ({ value: due })),
  );
  metrics.gauge(
    {
      name: 'postroom_webhook_due_oldest_seconds',
      help: 'How long the delivery that has been due longest has been.',
    },
    async () => {
      const found = await database.rows(waiting, [leaseMs]);
      return found.map(({ oldestSeconds }) => ({ value: oldestSeconds }));
    },
  );
  const count = metrics.counter({
    name: 'postroom_webhook_attempts_total',
    help: 'Attempts to deliver, by what became of the delivery.',
    labelNames: ['outcome'],
  });
  const observe = metrics.histogram(
    {
      name: 'postroom_webhook_delay_seconds',
      help: 'From when an attempt could have been made (a first one: from its event) to its start.',
    },
    [0.1, 0.5, 1, 5, 10, 30, 60, 300, 3_600],
  );
  return {
    attemptStarted: (delivery) => observe(delaySecondsOf(delivery)),
    attemptEnded: (outcome) => count({ outcome }),
  };
}

/** The delay of an attempt: the event's way to this service, and the time in the queue. */
function delaySecondsOf(delivery: ClaimedDelivery): number {
  const { attempt, redelivery, event_id: eventId, recorded_at: recorded } = delivery;
  const isFirst = attempt === 1 && redelivery === 0;
  const arrivalMs = isFirst ? recorded.getTime() - timeOfId(eventId) : 0;
  return Math.max(0, arrivalMs + delivery.waited_ms) / 1000;
}
