import { newId, Problem, webhooksMax, type Webhook } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

type Rows = Pick<Reading, 'rows'>;

const columns = `id, url, events, description, status, disabled_reason AS "disabledReason",
  CASE WHEN previous_until > workspace_now(tenant_id) THEN ${instant('previous_until')} END AS "previousSecretUntil",
  ${instant('created_at')} AS "createdAt", ${instant('updated_at')} AS "updatedAt", version`;

const list = statement<Webhook>(
  'webhooks.list',
  `SELECT ${columns} FROM subscriptions_of($1) ORDER BY created_at, id`,
);

const find = statement<Webhook>(
  'webhooks.find',
  `SELECT ${columns} FROM subscriptions
   WHERE tenant_id = $1 AND id = $2 AND key_id IS NULL FOR UPDATE`,
);

// One writer a workspace at a time, so that the limit holds.
const lock = statement<object>('webhooks.lock', `SELECT take_lock('webhooks ' || $1)`);

const count = statement<{ count: number }>(
  'webhooks.count',
  'SELECT count(*)::int AS count FROM subscriptions WHERE tenant_id = $1 AND key_id IS NULL',
);

const insert = statement<Webhook>(
  'webhooks.insert',
  `INSERT INTO subscriptions (tenant_id, id, url, events, description, status, sealed_secret,
     active_since, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $7, $7) RETURNING ${columns}`,
);

const update = statement<Webhook>(
  'webhooks.update',
  `UPDATE subscriptions SET url = $3, events = $4, description = $5, status = $6,
     disabled_reason = CASE WHEN $6 = 'disabled' THEN disabled_reason END,
     active_since = CASE WHEN status = 'disabled' AND $6 <> 'disabled' THEN $7 ELSE active_since END,
     failing_since = CASE WHEN status = $6 THEN failing_since END,
     updated_at = $7, version = version + 1
   WHERE tenant_id = $1 AND id = $2 RETURNING ${columns}`,
);

const rotate = statement<Webhook>(
  'webhooks.rotate',
  `UPDATE subscriptions SET
     sealed_oldest = CASE WHEN previous_until > $4::timestamptz THEN sealed_previous END,
     oldest_until = CASE WHEN previous_until > $4 THEN previous_until END,
     sealed_previous = sealed_secret, sealed_secret = $3,
     previous_until = $4 + interval '24 hours', updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND id = $2 AND coalesce(oldest_until <= $4, true) RETURNING ${columns}`,
);

const disable = statement<{ version: number; isOfKey: boolean }>(
  'webhooks.disable',
  `UPDATE subscriptions SET status = 'disabled', disabled_reason = $3, failing_since = NULL,
     updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND id = $2 AND status <> 'disabled'
   RETURNING version, key_id IS NOT NULL AS "isOfKey"`,
);

// An internal event, from which the gateway notifies the members.
const publishDisabled = statement<object>(
  'webhooks.publish_disabled',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
   VALUES ($1, $2, 'webhook.disabled', $3, $4, $5)`,
);

const remove = statement<object>(
  'webhooks.remove',
  'DELETE FROM subscriptions WHERE tenant_id = $1 AND id = $2',
);

/** All subscriptions of the workspace, first made first. */
export const listSubscriptions = ({ rows }: Rows): Promise<Webhook[]> => rows(list, []);

/**
 * A subscription, locked for the rest of the transaction.
 * @throws Problem WEBHOOK_NOT_FOUND
 */
export async function findSubscription({ rows }: Rows, id: string): Promise<Webhook> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('WEBHOOK_NOT_FOUND');
  return found;
}

/** @throws Problem WEBHOOK_NOT_FOUND */
export async function requireSubscription(context: Rows, id: string): Promise<void> {
  const found = await listSubscriptions(context);
  if (!found.some((one) => one.id === id)) throw new Problem('WEBHOOK_NOT_FOUND');
}

/** @throws Problem TOO_MANY_WEBHOOKS; other transactions that add one wait for this one */
export async function requireBelowLimit({ rows }: Rows): Promise<void> {
  await rows(lock, []);
  const [found] = await rows(count, []);
  if (found && found.count >= webhooksMax) throw new Problem('TOO_MANY_WEBHOOKS');
}

/** The fields of a subscription that its administrator decides. */
export type SubscriptionContent = Pick<Webhook, 'id' | 'url' | 'events' | 'description'>;

export const insertSubscription = (
  context: Rows & { readonly at: Date },
  { id, url, events, description }: SubscriptionContent,
  sealed: string,
): Promise<Webhook> =>
  returned(context.rows(insert, [id, url, events, description, sealed, context.at]));

export const updateSubscription = (
  context: Rows & { readonly at: Date },
  { id, url, events, description, status }: SubscriptionContent & Pick<Webhook, 'status'>,
): Promise<Webhook> =>
  returned(context.rows(update, [id, url, events, description, status, context.at]));

/**
 * Gives a locked one a new secret; each old one signs too for a day.
 * @throws Problem TOO_MANY_SECRETS while three sign
 */
export async function rotateSecret(
  context: Rows & { readonly at: Date },
  id: string,
  sealed: string,
): Promise<Webhook> {
  const [rotated] = await context.rows(rotate, [id, sealed, context.at]);
  if (!rotated) throw new Problem('TOO_MANY_SECRETS');
  return rotated;
}

/** Disables it and publishes that for the gateway; that of a key is not published, as no member has it. @returns false when it was disabled before */
export async function disableSubscription(
  context: Rows & { readonly at: Date },
  id: string,
  reason: NonNullable<Webhook['disabledReason']>,
): Promise<boolean> {
  const [disabled] = await context.rows(disable, [id, reason, context.at]);
  if (!disabled) return false;
  if (disabled.isOfKey) return true;
  const envelope = {
    occurredAt: context.at.toISOString(),
    webhook: { id, disabledReason: reason },
  };
  await context.rows(publishDisabled, [
    newId('evn'),
    id,
    disabled.version,
    JSON.stringify(envelope),
  ]);
  return true;
}

export async function removeSubscription({ rows }: Rows, id: string): Promise<void> {
  await rows(remove, [id]);
}

async function returned<T>(rows: Promise<T[]>): Promise<T> {
  const [row] = await rows;
  if (!row) throw new Error('a write returns its row');
  return row;
}
