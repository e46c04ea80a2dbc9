import type { Conversation, ConversationAnswer } from '@postroom/contracts';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { inTurn } from '../api/in-turn.js';

export const conversationsKey = ['conversation'] as const;

/** A conversation with all its messages and comments. The stream marks it stale, so it need not be asked for again. */
export const conversationQuery = (id: string, mailbox: string) =>
  queryOptions({
    queryKey: [...conversationsKey, mailbox, id] as const,
    queryFn: ({ signal }) =>
      api.get<ConversationAnswer>(
        `/v1/conversations/${encodeURIComponent(id)}`,
        { mailbox },
        signal,
      ),
    select: ({ conversation }) => conversation,
    staleTime: 60_000,
  });

export const useConversation = (
  id: string,
  mailbox: string,
): UseQueryResult<ConversationAnswer['conversation']> => useQuery(conversationQuery(id, mailbox));

/** Looks in every mailbox for a conversation whose own is not known; null where the member may read it in none. */
export function useFoundConversation(id: string): UseQueryResult<Conversation | null> {
  const addresses = useAccount().mailboxes.map(({ address }) => address);
  return useQuery({
    queryKey: ['mailbox-of', id, addresses],
    queryFn: async () => {
      const asked = addresses.map((mailbox) =>
        inTurn(() =>
          api.get<ConversationAnswer>(`/v1/conversations/${encodeURIComponent(id)}`, { mailbox }),
        ),
      );
      return Promise.any(asked).then(
        ({ conversation }) => conversation,
        () => null,
      );
    },
  });
}
