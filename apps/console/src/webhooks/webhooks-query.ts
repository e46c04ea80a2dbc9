import type { Delivery, DeliveryPage, WebhookList } from '@postroom/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';

/** The filters of a webhook's deliveries, as the address has them. */
interface DeliverySearch {
  readonly delivery?: 'pending' | 'succeeded' | 'failed';
  readonly event?: string;
}

/** Keeps what is a filter; whatever else an address says is left out. */
export function deliverySearch(given: object): DeliverySearch {
  const delivery: unknown = Reflect.get(given, 'delivery');
  const event: unknown = Reflect.get(given, 'event');
  return {
    ...((delivery === 'pending' || delivery === 'succeeded' || delivery === 'failed') && {
      delivery,
    }),
    ...(typeof event === 'string' && event !== '' && { event }),
  };
}

/** The subscriptions of the workspace; administrators alone may read them. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'] as const,
  queryFn: async ({ signal }) => (await api.get<WebhookList>('/webhooks', undefined, signal)).items,
});

/** Until a little after the next attempt that is due, in milliseconds: the stream has events of failures only. */
export function untilAttemptMs(deliveries: readonly Delivery[]): number | false {
  const times = deliveries
    .filter(({ status }) => status === 'pending')
    .map(({ nextAttemptAt, createdAt }) => Date.parse(nextAttemptAt ?? createdAt));
  // One that is long overdue, as of a webhook that is paused, is looked at ever more seldom.
  return times.length > 0 && Math.max(2_000, Math.abs(Math.min(...times) - Date.now()) + 500);
}

/** The deliveries of a subscription, last created first. */
export const deliveriesQuery = (id: string, { delivery, event }: DeliverySearch) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id, delivery ?? null, event ?? null] as const,
    queryFn: ({ pageParam, signal }) =>
      api.get<DeliveryPage>(
        `/webhooks/${id}/deliveries`,
        { status: delivery, event, limit: 30, pageToken: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
    refetchInterval: ({ state }) =>
      untilAttemptMs(state.data?.pages.flatMap(({ items }) => items) ?? []),
  });
