import { hash } from 'node:crypto';
import {
  eventSubscriptionsMax,
  Problem,
  subscriptionMs,
  type SubscribeToEvents,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { ulid } from 'ulid';
import { slotsOf } from './retention.js';
import { scanMax } from './stored-feed.js';

type Rows = Pick<Reading, 'rows'>;

/** Events that a new subscription is sent of those before it: the others are read after its cursor. */
const replayMax = 200;

/** Events that are to be replayed, with the slots of their days. */
interface Replayable {
  readonly events: readonly string[];
  readonly days: readonly number[];
  /** The position of the last event that was scanned. */
  readonly last: string;
  /** Others may follow. */
  readonly more: boolean;
}

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
  readonly sealed: string;
}

const findLive = statement<StoredSubscription>(
  'webhooks.find_of_key',
  `SELECT sealed_secret AS sealed FROM subscriptions
   WHERE tenant_id = $1 AND id = $2 AND key_id IS NOT NULL AND status = 'active' AND expires_at > now() FOR UPDATE`,
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

// Deliveries are dated to the millisecond, by the same clock and after the lock: none is before this.
const insert = statement<{ expiresAt: string }>(
  'webhooks.insert_of_key',
  `INSERT INTO subscriptions (tenant_id, id, url, events, description, status, sealed_secret, active_since,
     created_at, updated_at, key_id, mailbox, expires_at, cursor_event)
   VALUES ($1, $2, $3, ARRAY[$4], '', 'active', $5, date_trunc('milliseconds', clock_timestamp()) + ahead_of($1),
     $6, $6, $7, $8, now() + $9 * interval '1 ms', $10)
   RETURNING ${instant('expires_at')} AS "expiresAt"`,
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

// Those that are locked are under way, and end by themselves; what is beyond the limit is ended by the maintenance.
const endPending = statement<object>(
  'webhooks.end_deliveries_of_key',
  `UPDATE deliveries d SET status = 'failed', first_open = false, held = false
   FROM (SELECT p.week, p.event_id, p.redelivery FROM deliveries p
     WHERE p.tenant_id = $1 AND p.subscription_id = $2 AND p.status = 'pending' AND p.lease IS NULL
     ORDER BY p.position LIMIT 1000 FOR UPDATE SKIP LOCKED) p
   WHERE d.week = p.week AND d.event_id = p.event_id AND d.subscription_id = $2 AND d.redelivery = p.redelivery`,
);

const replayable = statement<Replayable>(
  'webhooks.replayable_events',
  'SELECT events, days, last, more FROM replayable_events($1, $2, $3, $4, $5, $6, $7)',
);

// A delivery that an earlier subscription of the same identity had is no delivery of this one.
const replay = statement<object>(
  'webhooks.replay_events',
  `INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, redelivery, name, resource,
     position, first_open, held, next_at, created_at)
   SELECT g.week, g.day, $1, 'dlv_' || $3 || upper(substr(md5(e.event_id || $2 || n.count), 1, 16)), $2,
     e.event_id, n.count, e.type, e.resource, e.position, true,
     row_number() OVER (PARTITION BY e.resource ORDER BY e.position) > 1, now(), s.active_since
   FROM unnest($4::text[], $5::smallint[], $6::smallint[]) AS g (event, day, week)
   JOIN events e ON e.day = g.day AND e.event_id = g.event
   JOIN subscriptions s ON s.tenant_id = $1 AND s.id = $2
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

/**
 * One that is live and neither expired nor suspended; else there is none, its place is free, and the feed is locked.
 * The feed is not locked for a refresh: every event of the workspace waits for that.
 */
export async function lockSubscription(
  context: Rows,
  id: string,
): Promise<StoredSubscription | null> {
  await context.rows(lock, []);
  const [live] = await context.rows(findLive, [id]);
  if (live) return live;
  await context.rows(lockFeed, []);
  await removeSubscriptionOf(context, id);
  return null;
}

interface NewSubscription {
  readonly id: string;
  readonly sealed: string;
  readonly input: SubscribeToEvents;
  readonly event: string | null;
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

/**
 * @param event the one after which it begins: its cursor
 * @returns until when it has to be refreshed
 * @throws Problem TOO_MANY_EVENT_SUBSCRIPTIONS
 */
export async function insertSubscriptionOf(
  { rows, at }: Changing,
  { keyId, url, type, mailbox }: SubscriptionKey,
  { id, sealed, input, event }: NewSubscription,
): Promise<string> {
  const [had] = await rows(count, [keyId]);
  for (const owner of ['key', 'workspace'] as const) {
    const max = eventSubscriptionsMax[owner];
    if (had && had[owner] >= max)
      throw new Problem('TOO_MANY_EVENT_SUBSCRIPTIONS', { fields: { max } });
  }
  const values = [id, url, type, sealed, at, keyId, mailbox, ttlOf(input), event];
  const [made] = await rows(insert, values);
  if (!made) throw new Error('a write returns its row');
  return made.expiresAt;
}

/** The matching events after a position: the oldest, as many as one replay may have. */
export const findReplay = async (
  { rows }: Rows,
  { type, mailbox }: SubscriptionKey,
  { position, sinceMs }: { position: string; sinceMs: number },
  room = replayMax,
): Promise<Replayable> => {
  const bounds = [new Date(sinceMs), room, scanMax];
  const [found] = await rows(replayable, [position, type, mailbox, ...bounds]);
  return found ?? { events: [], days: [], last: position, more: false };
};

/**
 * Queues events that were found before the feed was locked, and those that came meanwhile.
 * @returns whether there are more, which the agent has to read after its cursor
 */
export async function replayEvents(
  context: Rows,
  identity: SubscriptionKey,
  { id, found, sinceMs }: { id: string; found: Replayable; sinceMs: number },
): Promise<boolean> {
  const after = { position: found.last, sinceMs };
  const since = found.more
    ? null
    : await findReplay(context, identity, after, replayMax - found.events.length);
  const ids = [...found.events, ...(since?.events ?? [])];
  const days = [...found.days, ...(since?.days ?? [])];
  const weeks = ids.map((event) => slotsOf(event).week);
  if (ids.length > 0) await context.rows(replay, [id, ulid().slice(0, 10), ids, days, weeks]);
  return since?.more ?? true;
}

/** The event before the first one that is still to be delivered, kept for the bodies of deliveries. */
export async function keepCursorOf(
  { rows }: Rows,
  id: string,
): Promise<{ readonly event: string | null; readonly expiresAt: string }> {
  const [kept] = await rows(keepCursor, [id]);
  if (!kept) throw new Error('a subscription that was just written');
  return kept;
}

/** Removes it, and ends the deliveries that wait. @returns false where there is none of this id that a key has */
export async function removeSubscriptionOf({ rows }: Rows, id: string): Promise<boolean> {
  const removed = await rows(remove, [id]);
  if (removed.length > 0) await rows(endPending, [id]);
  return removed.length > 0;
}
