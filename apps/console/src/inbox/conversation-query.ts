import type { ConversationAnswer } from '@postroom/contracts';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../api/api.js';

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
