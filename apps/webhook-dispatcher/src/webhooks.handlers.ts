import { actorOf } from '@postroom/access';
import {
  type FeedEvent,
  invalidField,
  newId,
  Problem,
  webhooks,
  webhookTests,
} from '@postroom/contracts';
import { handlers, requireVersion, type Writing } from '@postroom/operations';
import { OutboundGuard, portOf, TargetRefused } from '@postroom/outbound';
import { statement } from '@postroom/persistence';
import {
  findSubscription,
  insertSubscription,
  listSubscriptions,
  removeSubscription,
  requireBelowLimit,
  rotateSecret,
  updateSubscription,
} from './stored-subscriptions.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Webhook subscriptions, as administrators keep them. */
export const WebhooksHandlers = handlers(
  webhooks,
  [OutboundGuard, WebhookSecrets],
  (guard, secrets) => ({
    list: async (context) => ({ items: await listSubscriptions(context), nextPageToken: null }),

    create: {
      prepare: async (_context, input) => {
        await requireTarget(guard, input.url);
        return async (context) => {
          const id = newId('whk');
          context.subject(id);
          await requireBelowLimit(context);
          const { secret, sealed } = secrets.make(id);
          return { webhook: await insertSubscription(context, { ...input, id }, sealed), secret };
        };
      },
    },

    update: {
      prepare: async (_context, { id, ifMatch, ...given }) => {
        if (given.url !== undefined) await requireTarget(guard, given.url);
        return async (context) => {
          const found = await findSubscription(context, id);
          requireVersion(found, ifMatch);
          return { webhook: await updateSubscription(context, { ...found, ...given }) };
        };
      },
    },

    remove: async (context, { id, ifMatch }) => {
      requireVersion(await findSubscription(context, id), ifMatch);
      await removeSubscription(context, id);
      return { ok: true };
    },

    rotateSecret: async (context, { id }) => {
      await findSubscription(context, id);
      const { secret, sealed } = secrets.make(id);
      return { webhook: await rotateSecret(context, id, sealed), secret };
    },

    test: async (context, { id }) => {
      const { status } = await findSubscription(context, id);
      if (status === 'disabled') throw new Problem('WEBHOOK_DISABLED');
      return { ok: true, event: await emitTest(context, id) };
    },
  }),
);

/** The webhook test of the public API. */
export const WebhookTestsHandlers = handlers(webhookTests, {
  emit: async (context) => ({ ok: true, event: await emitTest(context, null) }),
});

/**
 * Judges the URL of a subscription before it is stored.
 * @throws Problem INVALID_REQUEST, in the same words whatever is wrong with the target
 */
export async function requireTarget(guard: OutboundGuard, url: string): Promise<void> {
  const target = new URL(url);
  try {
    const { isAllowListed } = await guard.check(target.hostname, portOf(target));
    if (target.protocol !== 'https:' && !isAllowListed) throw new TargetRefused();
  } catch (error) {
    if (error instanceof TargetRefused) throw refused(error);
    throw error;
  }
}

/** Two ways to a receiver that is not public. */
const locally = 'WEBHOOK_ALLOWED_CIDRS=127.0.0.1/32, `postroom listen`';

const refused = (cause: unknown): Problem =>
  new Problem('INVALID_REQUEST', {
    cause,
    violations: invalidField(
      'url',
      `URL https d’un hôte public attendue ; sur une seule machine : ${locally}`,
      `expected an https URL of a public host; on one machine: ${locally}`,
    ).violations,
  });

const countTest = statement<{ sequence: string }>(
  'webhooks.count_test',
  `INSERT INTO test_counters AS t (tenant_id, sequence) VALUES ($1, 1)
   ON CONFLICT (tenant_id) DO UPDATE SET sequence = t.sequence + 1 RETURNING sequence`,
);

/**
 * Emits `integration.test`.
 * @param webhookId the one subscription it is for; null for all of the workspace
 * @returns the event as it will be delivered
 */
async function emitTest(
  context: Writing<(typeof webhooks)['test']>,
  webhookId: string | null,
): Promise<FeedEvent> {
  const { tenantId, caller, at } = context;
  const [counted] = await context.rows(countTest, []);
  const event = {
    id: newId('evn'),
    type: 'integration.test' as const,
    resource: { type: 'tenant' as const, id: tenantId },
    sequence: Number(counted?.sequence),
    data: { message: 'Webhooks of this workspace arrive.', webhookId },
  };
  context.emit(event);
  return {
    ...event,
    occurredAt: at.toISOString(),
    tenantId,
    apiVersion: 'v1',
    actor: actorOf(caller),
    source: caller.source,
    previous: null,
  };
}
