import { search } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { requireMailboxExists } from '../conversations/index.js';
import { findConversations } from './find-conversations.js';
import { parseQuery } from './parse-query.js';

/** Search in a shared mailbox. */
export const SearchHandlers = handlers(search, {
  conversations: async (context, { mailbox, q, limit }) => {
    const results = await findConversations(context, { mailbox, query: parseQuery(q), limit });
    if (results.length === 0) await requireMailboxExists(context, mailbox);
    return { mailbox, query: q, results };
  },
});
