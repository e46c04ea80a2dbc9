import {
  Problem,
  redeliveriesMax,
  type Delivery,
  type RedeliveredFailed,
} from '@postroom/contracts';
import type { Reading, Writing } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { ulid } from 'ulid';
import { requestExcerptOf, requestOf, type SentRow } from './delivery-request.js';

type Rows = Pick<Reading, 'rows'>;

const columns = `(delivery).id, (delivery).subscription_id AS "webhookId", (delivery).event_id AS "eventId",
  (delivery).name AS "eventType", (delivery).status, (delivery).redelivery,
  ${instant('(delivery).created_at')} AS "createdAt",
  CASE WHEN (delivery).status = 'pending' AND NOT (delivery).held AND (delivery).lease IS NULL
    THEN ${instant('((delivery).next_at + ahead_of((delivery).tenant_id))')} END AS "nextAttemptAt", attempts, headers, envelope,
  renamed AS "isRenamed"`;

type DeliveryRow = Omit<Delivery, 'request'> & SentRow;

const list = statement<DeliveryRow>(
  'webhooks.list_deliveries',
  `SELECT ${columns} FROM list_deliveries($1, $2, $3, $4, $5, $6)`,
);

const listOfEvent = statement<DeliveryRow>(
  'webhooks.deliveries_of_event',
  `SELECT ${columns} FROM deliveries_of_event($1, $2, $3, $4)`,
);

const find = statement<DeliveryRow>(
  'webhooks.find_delivery',
  `SELECT ${columns} FROM find_delivery($1, $2)`,
);

/** A delivery's place in the queue, and whether it can be made again. */
interface Redeliverable {
  readonly subscriptionStatus: string;
  readonly isKept: boolean;
  readonly isPending: boolean;
}

const redeliverable = statement<Redeliverable>(
  'webhooks.redeliverable',
  `SELECT s.status AS "subscriptionStatus",
     EXISTS (SELECT FROM events e WHERE e.day = (f.delivery).day AND e.event_id = (f.delivery).event_id)
       AS "isKept",
     EXISTS (SELECT FROM deliveries d WHERE d.week = (f.delivery).week
       AND d.event_id = (f.delivery).event_id AND d.subscription_id = s.id AND d.status = 'pending')
       AS "isPending"
   FROM find_delivery($1, $2) f
   JOIN subscriptions s ON s.tenant_id = $1 AND s.id = (f.delivery).subscription_id FOR UPDATE OF s`,
);

const redeliver = statement<{ id: string }>(
  'webhooks.redeliver',
  `INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, redelivery, name, resource,
     position, first_open, held, next_at, created_at)
   SELECT (delivery).week, (delivery).day, $1, $3, (delivery).subscription_id, (delivery).event_id,
     (SELECT max(d.redelivery) + 1 FROM deliveries d WHERE d.week = (delivery).week
        AND d.event_id = (delivery).event_id AND d.subscription_id = (delivery).subscription_id),
     (delivery).name, (delivery).resource, (delivery).position, false, false, now(), workspace_now($1)
   FROM find_delivery($1, $2) RETURNING id`,
);

const redeliverAll = statement<RedeliveredFailed>(
  'webhooks.redeliver_failed',
  'SELECT * FROM redeliver_failed($1, $2, $3, $4, $5)',
);

/** Sorts after every id of a delivery: the cursor of the first page. */
const beforeAll = 'dlv_~';

/** Filters of the history, and the page. */
export interface HistoryQuery {
  readonly id: string;
  readonly status: string | undefined;
  readonly event: string | undefined;
  readonly limit: number;
  /** The last delivery of the page before. */
  readonly after: string | undefined;
}

export async function listDeliveries(
  { rows }: Rows,
  { id, status, event, limit, after = beforeAll }: HistoryQuery,
): Promise<Delivery[]> {
  const found = await rows(list, [id, status ?? null, event ?? null, after, limit]);
  return found.map((row) => deliveryOf(row, requestExcerptOf));
}

export async function listDeliveriesOfEvent(
  { rows }: Rows,
  {
    eventId,
    limit,
    after = beforeAll,
  }: Pick<HistoryQuery, 'limit' | 'after'> & { eventId: string },
): Promise<Delivery[]> {
  const found = await rows(listOfEvent, [eventId, after, limit]);
  return found.map((row) => deliveryOf(row, requestExcerptOf));
}

function deliveryOf(row: DeliveryRow, request: typeof requestOf): Delivery {
  const { headers, envelope, isRenamed, ...delivery } = row;
  return { ...delivery, request: request(row) };
}

/** @throws Problem DELIVERY_NOT_FOUND */
export async function findDelivery({ rows }: Rows, id: string): Promise<Delivery> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('DELIVERY_NOT_FOUND');
  return deliveryOf(found, requestOf);
}

/** @throws Problem DELIVERY_NOT_FOUND, WEBHOOK_DISABLED, EVENT_EXPIRED, DELIVERY_PENDING */
export async function redeliverOne({ rows }: Rows, id: string, newId: string): Promise<Delivery> {
  const [found] = await rows(redeliverable, [id]);
  if (!found) throw new Problem('DELIVERY_NOT_FOUND');
  if (found.subscriptionStatus === 'disabled') throw new Problem('WEBHOOK_DISABLED');
  if (!found.isKept) throw new Problem('EVENT_EXPIRED');
  if (found.isPending) throw new Problem('DELIVERY_PENDING');
  await rows(redeliver, [id, newId]);
  return findDelivery({ rows }, newId);
}

export async function redeliverFailed(
  { rows }: Pick<Writing, 'rows'>,
  subscriptionId: string,
  since: string,
): Promise<RedeliveredFailed> {
  const time = ulid().slice(0, 10);
  const [counted] = await rows(redeliverAll, [subscriptionId, since, time, redeliveriesMax]);
  if (!counted) throw new Error('a function of one row returns it');
  return counted;
}
