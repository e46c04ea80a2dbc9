import type { DeliveryPage, WebhookList } from '@postroom/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';
import type { DeliverySearch } from './search-params.js';

/** The subscriptions of the workspace; administrators alone may read them. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'] as const,
  queryFn: async ({ signal }) => (await api.get<WebhookList>('/webhooks', undefined, signal)).items,
});

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
  });
