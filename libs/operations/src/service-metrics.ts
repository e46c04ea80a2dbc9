import type { ServiceName } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import type { Metrics, ReadGauge } from '@postroom/service';

const waiting = statement<{ seconds: number | null }>(
  'operations.outbox_waiting',
  'SELECT outbox_waiting() AS seconds',
);

const parked = statement<{ events: number }>(
  'operations.count_parked',
  'SELECT count_parked() AS events',
);

/** Records that consumers could not handle and that were not replayed, by consumer. */
export const watchDeadLetters = (metrics: Metrics, read: ReadGauge): void =>
  metrics.gauge(
    {
      name: 'postroom_dead_letters',
      help: 'Records that a consumer could not handle and that were not replayed, by consumer.',
      labelNames: ['consumer'],
    },
    read,
  );

/** Metrics of every service with a database: its pool, the age of its outbox, and what is parked there. */
export function watchService(metrics: Metrics, service: ServiceName, database: Database): void {
  const labels = { service };
  metrics.gauge(
    {
      name: 'postroom_outbox_oldest_seconds',
      help: 'How long the event that waits longest has waited to be published, by service.',
      labelNames: ['service'],
    },
    async () => {
      const [found] = await database.rows(waiting, []);
      return [{ labels, value: found?.seconds ?? 0 }];
    },
  );
  metrics.gauge(
    {
      name: 'postroom_parked_events',
      help: 'Events that the bus has refused, which wait for an operator, by service.',
      labelNames: ['service'],
    },
    async () => {
      const [found] = await database.rows(parked, []);
      return [{ labels, value: found?.events ?? 0 }];
    },
  );
  metrics.gauge(
    {
      name: 'postroom_database_waiting',
      help: 'Callers that wait for a connection to the database, by service.',
      labelNames: ['service'],
    },
    () => [{ labels, value: database.load.waiting }],
  );
  metrics.gauge(
    {
      name: 'postroom_database_connections',
      help: 'Connections to the database, by service and whether they are used.',
      labelNames: ['service', 'state'],
    },
    () => {
      const { open, idle } = database.load;
      return [
        { labels: { ...labels, state: 'used' }, value: open - idle },
        { labels: { ...labels, state: 'idle' }, value: idle },
      ];
    },
  );
}
