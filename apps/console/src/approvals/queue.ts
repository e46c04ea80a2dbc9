import type {
  ApprovalAnswer,
  ApprovalCount,
  ApprovalPage,
  ApprovalRequest,
} from '@postroom/contracts';
import {
  infiniteQueryOptions,
  queryOptions,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { api } from '../api/api.js';
import { useConnection, useStreamEvents } from '../stream/stream.js';

/** The filters of the queue, as the address has them. */
interface QueueSearch {
  readonly state?: 'closed';
  readonly key?: string;
  readonly mailbox?: string;
  readonly operation?: string;
}

const names = ['key', 'mailbox', 'operation'] as const;

/** Keeps what is a filter; whatever else an address says is left out. */
export function queueSearch(given: object): QueueSearch {
  const texts = names.flatMap((name) => {
    const value: unknown = Reflect.get(given, name);
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...(Reflect.get(given, 'state') === 'closed' && { state: 'closed' as const }),
    ...Object.fromEntries(texts),
  };
}

type Pages = InfiniteData<ApprovalPage>;

/** Approvals that wait, or that are being carried out; all others are closed. */
export const isOpen = ({ state }: Pick<ApprovalRequest, 'state'>): boolean =>
  state === 'pending' || state === 'approved' || state === 'executing';

const fetchPage = (
  { state, ...filters }: QueueSearch,
  pageToken: string | null,
  signal?: AbortSignal,
): Promise<ApprovalPage> =>
  api.get('/approvals', { ...filters, state: state ?? 'open', limit: 50, pageToken }, signal);

/** The queue by its filters, page by page. The stream keeps its beginning fresh, so that it need not be read anew. */
export const queueQuery = (search: QueueSearch) =>
  infiniteQueryOptions({
    queryKey: ['approvals', 'queue', search] as const,
    queryFn: ({ pageParam, signal }) => fetchPage(search, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
    staleTime: Infinity,
  });

/** One approval; what the queue has read already is not read again. */
export const approvalQuery = (id: string, client: QueryClient) =>
  queryOptions({
    queryKey: ['approvals', 'one', id] as const,
    queryFn: async ({ signal }) => {
      const answer = await api.get<ApprovalAnswer>(`/approvals/${id}`, undefined, signal);
      return answer.approval;
    },
    initialData: () => inQueues(client, id),
    staleTime: 60_000,
  });

function inQueues(client: QueryClient, id: string): ApprovalRequest | undefined {
  for (const [, pages] of client.getQueriesData<Pages>({ queryKey: ['approvals', 'queue'] })) {
    const found = itemsOf(pages).find((one) => one.id === id);
    if (found) return found;
  }
  return undefined;
}

export const itemsOf = (pages: Pages | undefined): readonly ApprovalRequest[] =>
  pages?.pages.flatMap(({ items }) => items) ?? [];

/** The number of those in the states that the queue shows. */
export function countOf(pages: Pages | undefined, { state }: QueueSearch): number | null {
  const counts = pages?.pages[0]?.counts;
  if (!counts) return null;
  return counts
    .filter((one: ApprovalCount) => isOpen(one) === (state !== 'closed'))
    .reduce((sum, { approvals }) => sum + approvals, 0);
}

/** The queue with its beginning as it is now: new ones before, changed ones in their place, closed ones away. */
function withBeginning(pages: Pages, fresh: ApprovalPage, search: QueueSearch): Pages {
  const [first, ...rest] = pages.pages;
  if (!first) return pages;
  const freshIds = new Set(fresh.items.map(({ id }) => id));
  // Whatever is newer than the end of the fresh page and not in it has left the queue.
  const end = fresh.nextPageToken === null ? '' : (fresh.items.at(-1)?.createdAt ?? '');
  const stays = (one: ApprovalRequest): boolean =>
    !freshIds.has(one.id) && one.createdAt < end && isOpen(one) === (search.state !== 'closed');
  return {
    ...pages,
    pages: [
      { ...first, counts: fresh.counts, items: [...fresh.items, ...first.items.filter(stays)] },
      ...rest.map((page) => ({ ...page, items: page.items.filter(stays) })),
    ],
  };
}

/** Reads the beginning of the queue again and puts it in its place. */
async function refreshQueue(client: QueryClient, search: QueueSearch): Promise<void> {
  const { queryKey } = queueQuery(search);
  // A first reading that is under way may be older than what was just told.
  if (!client.getQueryData(queryKey)) return client.invalidateQueries({ queryKey });
  const fresh = await fetchPage(search, null);
  client.setQueryData<Pages>(queryKey, (pages) =>
    pages ? withBeginning(pages, fresh, search) : pages,
  );
}

/** Puts an approval as a decision has answered it wherever it is shown. */
export function learnApproval(client: QueryClient, approval: ApprovalRequest): void {
  client.setQueryData(['approvals', 'one', approval.id], approval);
}

/** The least time between two readings of the queue, in milliseconds: a burst of requests is read together. */
const pauseMs = 300;

/** Updates the queue and the approval that is shown by events of the stream. */
export function useLiveQueue(search: QueueSearch): void {
  const client = useQueryClient();
  const reading = useRef<{ isDue: boolean } | null>(null);
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  const read = async (): Promise<void> => {
    if (reading.current) {
      reading.current.isDue = true;
      return;
    }
    const state = { isDue: true };
    reading.current = state;
    while (state.isDue) {
      state.isDue = false;
      await refreshQueue(client, latest.current).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    reading.current = null;
  };
  // No event comes for approvals that were filed between the first reading and the opening of the stream.
  const { isOpen: isConnected, lastSeen } = useConnection();
  const readOnOpen = useEffectEvent(read);
  useEffect(() => {
    if (isConnected && lastSeen !== null) void readOnOpen();
  }, [isConnected, lastSeen]);
  useStreamEvents(({ type, data }) => {
    if (type === 'reset') void client.invalidateQueries({ queryKey: ['approvals', 'one'] });
    if (!type.startsWith('approval.') && type !== 'reset') return;
    void read();
    const { id } = (data.approval ?? {}) as { readonly id?: string };
    if (id !== undefined) void client.invalidateQueries({ queryKey: ['approvals', 'one', id] });
  });
}
