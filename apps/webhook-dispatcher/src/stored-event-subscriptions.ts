import { hash } from 'node:crypto';
import {
  eventSubscriptionsMax,
  Problem,
  redeliveriesMax,
  subscriptionMs,
  type FeedEvent,
  type SubscribeToEvents,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { ulid } from 'ulid';
import { slotsOf } from './retention.js';

type Rows = Pick<Reading, 'rows'>;

/** The identity of a subscription: what it listens for, where it delivers, and who asked. */
export interface SubscriptionKey {
  readonly keyId: string;
  readonly url: string;
  readonly type: string;
  readonly mailbox: string | null;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The id of a subscription: the same for the same key, so that a repeat meets its own row. */
export function subscriptionIdOf({ keyId, url, type, mailbox }: SubscriptionKey): string {
  const digest = hash('sha256', JSON.stringify([keyId, url, type, mailbox]), 'buffer');
  const digits = [...digest.subarray(0, 26)].map((byte, place) =>
    alphabet.charAt(place === 0 ? byte & 7 : byte & 31),
  );
  return `whk_${digits.join('')}`;
}

interface StoredSubscription {
  readonly status: string;
  readonly sealed: string;
  readonly isLive: boolean;
}

const find = statement<StoredSubscription>(
  'webhooks.find_of_key',
  `SELECT status, sealed_secret AS sealed, expires_at > now() AS "isLive" FROM subscriptions
   WHERE tenant_id = $1 AND id = $2 AND key_id IS NOT NULL FOR UPDATE`,
);

const verified = statement<{ is: boolean }>(
  'webhooks.verified_url',
  'SELECT is_verified_url($1, $2, $3) AS is',
);

const lock = statement<object>('webhooks.lock_of_keys', `SELECT take_lock('subscriptions ' || $1)`);

const count = statement<{ key: number; workspace: number }>(
  'webhooks.count_of_keys',
  `SELECT count(*) FILTER (WHERE key_id = $2)::int AS key, count(*)::int AS workspace FROM subscriptions
   WHERE tenant_id = $1 AND expires_at > now()`,
);

// Events are recorded under the same lock: each is before the subscription, or delivered to it.
const lockFeed = statement<object>(
  'webhooks.lock_feed',
  `INSERT INTO feeds AS f (tenant_id, position) VALUES ($1, 0)
   ON CONFLICT (tenant_id) DO UPDATE SET position = f.position`,
);

const insert = statement<object>(
  'webhooks.insert_of_key',
  `INSERT INTO subscriptions (tenant_id, id, url, events, description, status, sealed_secret, active_since,
     created_at, updated_at, key_id, mailbox, expires_at)
   VALUES ($1, $2, $3, ARRAY[$4], '', 'active', $5, $6, $6, $6, $7, $8, now() + $9 * interval '1 ms')`,
);

const refresh = statement<object>(
  'webhooks.refresh_of_key',
  `UPDATE subscriptions SET expires_at = now() + $3 * interval '1 ms', updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND id = $2`,
);

const remove = statement<{ id: string }>(
  'webhooks.remove_of_key',
  'DELETE FROM subscriptions WHERE tenant_id = $1 AND id = $2 AND key_id IS NOT NULL RETURNING id',
);

const replayable = statement<{ id: string; day: number }>(
  'webhooks.replayable_events',
  `SELECT e.event_id AS id, e.day FROM events e JOIN subscriptions s ON s.tenant_id = $1 AND s.id = $2
   WHERE e.tenant_id = $1 AND e.position > $3 AND e.type = ANY (s.events)
     AND coalesce(s.mailbox = lower(e.mailbox), s.mailbox IS NULL) AND e.recorded_at >= $4
   ORDER BY e.position DESC LIMIT $5`,
);

// A delivery that an earlier subscription of the same identity had is no delivery of this one.
const replay = statement<object>(
  'webhooks.replay_events',
  `INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, redelivery, name, resource,
     position, first_open, held, next_at, created_at)
   SELECT g.week, g.day, $1, 'dlv_' || $3 || upper(substr(md5(e.event_id || $2 || n.count), 1, 16)), $2,
     e.event_id, n.count, e.type, e.resource, e.position, true,
     row_number() OVER (PARTITION BY e.resource ORDER BY e.position) > 1, now(), $4
   FROM unnest($5::text[], $6::smallint[], $7::smallint[]) AS g (event, day, week)
   JOIN events e ON e.day = g.day AND e.event_id = g.event
   CROSS JOIN LATERAL (SELECT count(*)::int FROM deliveries d
     WHERE d.week = g.week AND d.event_id = g.event AND d.subscription_id = $2) n`,
);

const keepCursor = statement<{ event: string | null; expiresAt: string }>(
  'webhooks.keep_cursor',
  `UPDATE subscriptions SET cursor_event = (
     SELECT e.event_id FROM events e WHERE e.tenant_id = $1 AND e.position < coalesce((
       SELECT min(d.position) FROM deliveries d
       WHERE d.tenant_id = $1 AND d.subscription_id = $2 AND d.status = 'pending'), 9223372036854775807)
     ORDER BY e.position DESC LIMIT 1)
   WHERE tenant_id = $1 AND id = $2
   RETURNING cursor_event AS event, ${instant('expires_at')} AS "expiresAt"`,
);

/** True if the key has shown already that the URL wants its events. */
export const isVerifiedUrl = async (
  { rows }: Rows,
  { keyId, url }: SubscriptionKey,
): Promise<boolean> => (await rows(verified, [keyId, url]))[0]?.is === true;

type Changing = Rows & { readonly at: Date };

/** One that is live and neither expired nor suspended; else there is none, and its place is free. */
export async function lockSubscription(
  { rows }: Rows,
  id: string,
): Promise<StoredSubscription | null> {
  await rows(lock, []);
  await rows(lockFeed, []);
  const [found] = await rows(find, [id]);
  if (found?.isLive === true && found.status === 'active') return found;
  if (found) await rows(remove, [id]);
  return null;
}

const ttlOf = ({ ttlMs = subscriptionMs.most }: Pick<SubscribeToEvents, 'ttlMs'>): number =>
  Math.max(subscriptionMs.least, Math.min(ttlMs, subscriptionMs.most));

export async function refreshSubscription(
  { rows, at }: Changing,
  id: string,
  input: SubscribeToEvents,
): Promise<void> {
  await rows(refresh, [id, ttlOf(input), at]);
}

/** @throws Problem TOO_MANY_EVENT_SUBSCRIPTIONS */
export async function insertSubscriptionOf(
  { rows, at }: Changing,
  { keyId, url, type, mailbox }: SubscriptionKey,
  { id, sealed, input }: { id: string; sealed: string; input: SubscribeToEvents },
): Promise<void> {
  const [had] = await rows(count, [keyId]);
  for (const owner of ['key', 'workspace'] as const) {
    const max = eventSubscriptionsMax[owner];
    if (had && had[owner] >= max)
      throw new Problem('TOO_MANY_EVENT_SUBSCRIPTIONS', { fields: { max } });
  }
  await rows(insert, [id, url, type, sealed, at, keyId, mailbox, ttlOf(input)]);
}

/**
 * Queues the events after a position, those of each resource in order.
 * @returns whether older ones are passed over, beyond what one replay may have
 */
export async function replayEvents(
  { rows, at }: Changing,
  id: string,
  { position, sinceMs }: { position: string; sinceMs: number },
): Promise<boolean> {
  const since = new Date(sinceMs);
  const found = await rows(replayable, [id, position, since, redeliveriesMax + 1]);
  const events = found.slice(0, redeliveriesMax);
  const weeks = events.map(({ id: event }) => slotsOf(event).week);
  const days = events.map(({ day }) => day);
  const ids = events.map(({ id: event }) => event);
  if (ids.length > 0) await rows(replay, [id, ulid().slice(0, 10), at, ids, days, weeks]);
  return found.length > events.length;
}

/** The event before the first one that is still to be delivered, kept for the bodies of deliveries. */
export async function keepCursorOf(
  { rows }: Rows,
  id: string,
): Promise<{ readonly event: FeedEvent['id'] | null; readonly expiresAt: string }> {
  const [kept] = await rows(keepCursor, [id]);
  if (!kept) throw new Error('a subscription that was just written');
  return kept;
}

/** @returns false where there is none of this id that a key has */
export const removeSubscriptionOf = async ({ rows }: Rows, id: string): Promise<boolean> =>
  (await rows(remove, [id])).length > 0;
