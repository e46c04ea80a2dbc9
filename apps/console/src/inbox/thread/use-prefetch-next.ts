import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { conversationQuery } from '../conversation-query.js';
import { useInbox } from '../inbox-state.js';
import { rowOf } from '../list/rows.js';

const afterMs = 400;

/** Reads the conversation that most likely comes next, so that it opens at once. */
export function usePrefetchNext(id: string): void {
  const client = useQueryClient();
  const { state } = useInbox();
  const nextId = state.ids[state.ids.indexOf(id) + 1];
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = nextId === undefined ? undefined : rowOf(nextId);
      if (next) client.query(conversationQuery(next.id, next.mailbox)).catch(() => undefined);
    }, afterMs);
    return () => clearTimeout(timer);
  }, [client, nextId]);
}
