import { newId, Problem, webhooks } from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { OutboundGuard } from '@postroom/outbound';
import { emitTest } from './emit-test.js';
import {
  findSubscription,
  insertSubscription,
  listSubscriptions,
  removeSubscription,
  requirePlace,
  rotateSecret,
  updateSubscription,
} from './stored-subscriptions.js';
import { requireTarget } from './target.js';
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
          await requirePlace(context);
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
