import {
  eventCursor,
  eventSubscriptions,
  Problem,
  timeOfId,
  type SubscribeToEvents,
  type UnsubscribeFromEvents,
} from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { OutboundGuard } from '@postroom/outbound';
import { Callbacks } from './callbacks.js';
import { WebhooksConfig } from './config.js';
import { dayMs } from './retention.js';
import {
  findReplay,
  insertSubscriptionOf,
  isVerifiedUrl,
  keepCursorOf,
  lockSubscription,
  refreshSubscription,
  removeSubscriptionOf,
  replayEvents,
  subscriptionIdOf,
  type SubscriptionKey,
} from './stored-event-subscriptions.js';
import { positionAfter, type FeedPosition } from './stored-feed.js';
import { rotateSecret } from './stored-subscriptions.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { requireTarget } from './webhooks.handlers.js';

function identityOf(
  { caller }: Pick<Reading, 'caller'>,
  { url, type, mailbox }: UnsubscribeFromEvents,
): SubscriptionKey {
  if (caller.type !== 'key') throw new Problem('UNAUTHENTICATED');
  return { keyId: caller.keyId, url, type, mailbox: mailbox ?? null };
}

/** The start of a new subscription, and whether it is later than was asked for. */
interface Beginning extends FeedPosition {
  readonly sinceMs: number;
  readonly isLater: boolean;
}

/** The place of an event in the feed; what has aged out, or is older than is wanted, is passed over. */
async function beginningOf(
  context: Pick<Reading, 'rows'>,
  { after, maxAgeMs }: SubscribeToEvents,
  keptMs: number,
): Promise<Beginning> {
  const now = Date.now();
  const sinceMs = maxAgeMs === undefined ? 0 : Math.max(0, now - maxAgeMs);
  const isLater = after !== undefined && after !== 'latest' && timeOfId(after) < sinceMs;
  try {
    return { ...(await positionAfter(context, after, now - keptMs)), sinceMs, isLater };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'EVENTS_AGED_OUT') throw error;
    return { position: '0', event: null, sinceMs, isLater: true };
  }
}

/** Webhook subscriptions of agents. Their deliveries are those of every other one, for the key as it is then. */
export const EventSubscriptionsHandlers = handlers(
  eventSubscriptions,
  [OutboundGuard, WebhookSecrets, Callbacks, WebhooksConfig],
  (guard, secrets, callbacks, config) => ({
    subscribe: {
      prepare: async (reading, input) => {
        const identity = identityOf(reading, input);
        const id = subscriptionIdOf(identity);
        const { url, secret } = input;
        callbacks.count(reading.tenantId, identity.keyId);
        await requireTarget(guard, url);
        if (!(await isVerifiedUrl(reading, identity)))
          await callbacks.verify(reading.tenantId, { subscriptionId: id, url, secret });
        const begin = await beginningOf(reading, input, config.webhookEventDays * dayMs);
        const found = await findReplay(reading, identity, begin);
        return async (context) => {
          context.subject(id);
          const cursorOf = (event: string | null) =>
            eventCursor(identity.keyId, { event, atMs: context.at.getTime() });
          const live = await lockSubscription(context, id);
          if (live) {
            await refreshSubscription(context, id, input);
            if (secrets.open(live.sealed, id) !== secret)
              await rotateSecret(context, id, secrets.seal(secret, id));
            const { event, expiresAt } = await keepCursorOf(context, id);
            return { id, refreshBefore: expiresAt, cursor: cursorOf(event), truncated: false };
          }
          const made = { id, sealed: secrets.seal(secret, id), input, event: begin.event };
          const refreshBefore = await insertSubscriptionOf(context, identity, made);
          const { sinceMs, isLater } = begin;
          const isMore = await replayEvents(context, identity, { id, found, sinceMs });
          const truncated = isMore || isLater;
          return { id, refreshBefore, cursor: cursorOf(begin.event), truncated };
        };
      },
    },

    unsubscribe: async (context, input) => {
      const id = subscriptionIdOf(identityOf(context, input));
      context.subject(id);
      if (!(await removeSubscriptionOf(context, id))) throw new Problem('WEBHOOK_NOT_FOUND');
      return { ok: true };
    },
  }),
);
