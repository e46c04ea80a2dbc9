import type { Key, KeyClient, KeyList } from '@postroom/contracts';
import { queryOptions, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../api/api.js';
import type { StreamEvent } from '../stream/event-reader.js';
import { useStreamEvents } from '../stream/stream.js';

/** All keys of the workspace, revoked ones too; administrators alone may read them. */
export const keysQuery = queryOptions({
  queryKey: ['keys'] as const,
  queryFn: async ({ signal }) => (await api.get<KeyList>('/keys', undefined, signal)).items,
});

/** The keys, with their last use as it is told. */
export function useKeys(): UseQueryResult<readonly Key[]> {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (type === 'key.used') void client.invalidateQueries(keysQuery);
  });
  return useQuery(keysQuery);
}

/** True for an event about the use of a key; there is one a minute at most. */
export const isUseOf = (keyId: string, { type, data }: StreamEvent): boolean =>
  type === 'key.used' && (data.resource as { readonly id?: string } | undefined)?.id === keyId;

/** The host that answers for an assistant, in words. */
export const hostOf = ({ host }: KeyClient): string =>
  host === 'localhost' ? 'a program on a computer' : host;
