import type { ConversationPage } from '@postroom/contracts';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { useStreamEvents } from '../../stream/stream.js';
import { conversationsKey } from '../conversation-query.js';
import { readAgain } from './lists.js';
import { keepRows, putRows } from './rows.js';

/** The newest change that is known of each mailbox. */
const known = new Map<string, string>();
/** Mailboxes that are asked for changes, or will be. */
const waiting = new Map<string, ReturnType<typeof setTimeout>>();
const askAfterMs = 100;
/** Pages of changes that are read; with more, the lists are read again from their first page. */
const pagesMax = 5;

keepRows((changes) => {
  for (const { after } of changes) {
    const { mailbox, updatedAt, version } = after;
    if (version !== null && updatedAt > (known.get(mailbox) ?? '')) known.set(mailbox, updatedAt);
  }
});

/** Asks for what has changed in a mailbox, soon, once however often it is called meanwhile. */
export function askForChanges(mailbox: string, afterMs = askAfterMs): void {
  if (waiting.has(mailbox)) return;
  const timer = setTimeout(() => {
    waiting.delete(mailbox);
    readChanges(mailbox).catch(() => askForChanges(mailbox, 5_000));
  }, afterMs);
  waiting.set(mailbox, timer);
}

async function readChanges(mailbox: string): Promise<void> {
  const updatedSince = known.get(mailbox) ?? new Date(Date.now() - 600_000).toISOString();
  let pageToken: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer: ConversationPage = await api.get('/v1/conversations', {
      ...{ mailbox, placement: 'all', updatedSince, limit: 100, pageToken },
    });
    putRows(answer.conversations);
    pageToken = answer.nextPageToken;
    if (pageToken === null) return;
  }
  // As after an import. The next changes are those of the last minute.
  known.set(mailbox, new Date(Date.now() - 60_000).toISOString());
  readAgain();
}

/** Patches rows by events of the stream; once, in the page. */
export function useChanges(): void {
  const client = useQueryClient();
  useStreamEvents(({ type, data }) => {
    if (type === 'conversation.changed') {
      const { conversation } = data as unknown as ConversationChanged;
      askForChanges(conversation.mailbox);
      void client.invalidateQueries({
        queryKey: [...conversationsKey, conversation.mailbox, conversation.id],
      });
    } else if (type === 'reset' || type === 'reminder.due') missed(client);
  });
}

/** It is not known which conversations have changed. */
function missed(client: QueryClient): void {
  readAgain();
  void client.invalidateQueries({ queryKey: conversationsKey });
}

interface ConversationChanged {
  readonly conversation: { readonly id: string; readonly mailbox: string };
}
