import { deliveries, newId, Problem, type ListDeliveries } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { PageTokens } from '@postroom/persistence';
import { findSubscription, requireSubscription } from './stored-subscriptions.js';
import {
  findDelivery,
  listDeliveries,
  redeliverFailed,
  redeliverOne,
} from './stored-deliveries.js';

/** The history of deliveries, and redelivery. */
export const DeliveriesHandlers = handlers(deliveries, [PageTokens], (tokens) => ({
  list: async (context, input) => {
    const { pageToken, ...query } = input;
    const of = queryOf(context.tenantId, input);
    const cursor = pageToken === undefined ? null : tokens.read(of, pageToken);
    const [found] = await Promise.all([
      listDeliveries(context, { ...query, ...(cursor && { after: cursor.after.id }) }),
      requireSubscription(context, input.id),
    ]);
    const last = found.at(-1);
    const after = { atMs: 0, id: last?.id ?? '' };
    return {
      items: found.map(({ more: _, ...delivery }) => delivery),
      nextPageToken: last?.more
        ? tokens.issue(of, { asOf: '', beganAtMs: cursor?.beganAtMs ?? Date.now(), after })
        : null,
    };
  },

  get: async (context, { id }) => ({ delivery: await findDelivery(context, id) }),

  redeliver: async (context, { id }) => {
    return { delivery: await redeliverOne(context, id, newId('dlv')) };
  },

  redeliverFailed: async (context, { id, since }) => {
    const { status } = await findSubscription(context, id);
    if (status === 'disabled') throw new Problem('WEBHOOK_DISABLED');
    return redeliverFailed(context, id, since);
  },
}));

const queryOf = (tenantId: string, { id, status, event }: ListDeliveries): string =>
  ['deliveries', tenantId, id, status ?? '', event ?? ''].join(' ');
