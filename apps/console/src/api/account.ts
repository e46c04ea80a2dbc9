import type { Account } from '@postroom/contracts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, pageIsOf } from './api.js';

/** All that a page needs of the member, its workspace, and what waits for it: `GET /me`. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => {
    const account = await api.get<Account>('/me', undefined, signal);
    pageIsOf(account.member.id);
    return account;
  },
  staleTime: 60_000,
});

/** The account; the shell has loaded it before any page is shown. */
export const useAccount = (): Account => useSuspenseQuery(accountQuery).data;
