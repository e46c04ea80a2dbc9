import { eventGroups } from '@postroom/contracts';
import { statement, type Database, type Transaction } from '@postroom/persistence';
import type { LastDelivery, OutgoingEvent, RecordedEvent, Subscription } from './compare-events.js';

const types = Object.values(eventGroups).flat();

const setTenant = statement<object>(
  'verify.set_tenant',
  `SELECT set_config('postroom.tenant', $1, true)`,
);

const outgoing = statement<Omit<OutgoingEvent, 'service'>>(
  'verify.outgoing',
  `SELECT event_id AS id, type, resource, sequence::float8 AS sequence,
     CASE WHEN refusal IS NULL THEN 'waiting' ELSE 'parked' END AS state
   FROM outbox WHERE type = ANY ($1) AND created_at >= $2
   UNION ALL
   SELECT event_id, type, resource, sequence::float8, 'published'
   FROM published_events WHERE type = ANY ($1) AND created_at >= $2`,
);

const recorded = statement<RecordedEvent>(
  'verify.recorded',
  `SELECT event_id AS id, type, resource, sequence::float8 AS sequence,
     extract(epoch FROM recorded_at)::float8 * 1000 AS "recordedAtMs",
     CASE WHEN type = 'integration.test' THEN envelope::json->'data'->>'webhookId' END AS "onlyFor"
   FROM events WHERE recorded_at >= $1 ORDER BY position`,
);

const subscriptions = statement<Subscription>(
  'verify.subscriptions',
  `SELECT id, events, status,
     extract(epoch FROM greatest(active_since, updated_at))::float8 * 1000 AS "sameSinceMs"
   FROM subscriptions ORDER BY id`,
);

const deliveries = statement<LastDelivery>(
  'verify.deliveries',
  `SELECT DISTINCT ON (d.event_id, d.subscription_id) d.event_id AS "eventId",
     d.subscription_id AS "subscriptionId", d.status, made.attempts, made.error
   FROM deliveries d JOIN events e ON e.day = d.day AND e.event_id = d.event_id
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS attempts, (array_agg(a.error ORDER BY a.number DESC))[1] AS error
     FROM attempts a WHERE a.week = d.week AND a.delivery_id = d.id) made
   WHERE e.recorded_at >= $1
   ORDER BY d.event_id, d.subscription_id, d.redelivery DESC`,
);

const withTenant = <T>(
  database: Database,
  tenantId: string,
  work: (rows: Transaction['rows']) => Promise<T>,
): Promise<T> =>
  database.transaction(
    { begin: (rows) => rows(setTenant, [tenantId]), commit: () => [] },
    ({ rows }) => work(rows),
  );

/** The events of a workspace that a service has emitted since a time. */
export const outgoingEvents = (
  database: Database,
  tenantId: string,
  since: Date,
): Promise<Omit<OutgoingEvent, 'service'>[]> =>
  withTenant(database, tenantId, (rows) => rows(outgoing, [types, since]));

/** The same events as the dispatcher has them. */
export const dispatchedEvents = (database: Database, tenantId: string, since: Date) =>
  withTenant(database, tenantId, async (rows) => ({
    recorded: await rows(recorded, [since]),
    subscriptions: await rows(subscriptions, []),
    deliveries: await rows(deliveries, [since]),
  }));
