import { deliveries, newId, Problem } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { PageTokens } from '@postroom/persistence';
import { findSubscription, requireSubscription } from './stored-subscriptions.js';
import {
  findDelivery,
  listDeliveries,
  listDeliveriesOfEvent,
  redeliverFailed,
  redeliverOne,
} from './stored-deliveries.js';

/** The history of deliveries, and redelivery. */
export const DeliveriesHandlers = handlers(deliveries, [PageTokens], (tokens) => ({
  list: async (context, input) => {
    const { id, status, event, limit, pageToken } = input;
    const query = ['deliveries.list', context.tenantId, id, status, event];
    const [after] = tokens.read(query, pageToken);
    const [found] = await Promise.all([
      listDeliveries(context, { id, status, event, after, limit: limit + 1 }),
      requireSubscription(context, id),
    ]);
    const { rows, nextPageToken } = tokens.pageOf(query, found, limit, (last) => [last.id]);
    return { items: rows, nextPageToken };
  },

  listOfEvent: async (context, { eventId, limit, pageToken }) => {
    const query = ['deliveries.listOfEvent', context.tenantId, eventId];
    const [after] = tokens.read(query, pageToken);
    const found = await listDeliveriesOfEvent(context, { eventId, after, limit: limit + 1 });
    const { rows, nextPageToken } = tokens.pageOf(query, found, limit, (last) => [last.id]);
    return { items: rows, nextPageToken };
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
