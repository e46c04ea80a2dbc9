import type { KeyList } from '@postroom/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';

/** All keys of the workspace, revoked ones too; administrators alone may read them. */
export const keysQuery = queryOptions({
  queryKey: ['keys'] as const,
  queryFn: async ({ signal }) => (await api.get<KeyList>('/keys', undefined, signal)).items,
});
