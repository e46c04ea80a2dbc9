import type { PasskeyList, SecondFactorState, SessionList } from '@postroom/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';

export const secondFactorQuery = queryOptions({
  queryKey: ['me', 'second-factor'],
  queryFn: ({ signal }) => api.get<SecondFactorState>('/me/second-factor', undefined, signal),
});

export const passkeysQuery = queryOptions({
  queryKey: ['me', 'passkeys'],
  queryFn: ({ signal }) => api.get<PasskeyList>('/me/passkeys', undefined, signal),
});

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: ({ signal }) => api.get<SessionList>('/sessions', undefined, signal),
});
