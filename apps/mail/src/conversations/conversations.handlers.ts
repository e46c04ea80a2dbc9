import { conversations } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { MailConfig } from '../config.js';
import { conversationTarget } from './conversation-target.js';
import { addComment } from './add-comment.js';
import { ConversationPages } from './conversation-pages.js';
import { ConversationReads } from './conversation-reads.js';
import { placeConversation } from './place-conversation.js';

/** Conversations of a shared mailbox; one outside the mailbox that is named does not exist. */
export const ConversationsHandlers = handlers(
  conversations,
  [ConversationPages, ConversationReads, MailConfig],
  (pages, reads, { quotaComments }) => ({
    list: (context, input) => pages.read(context, input),

    get: (context, input) => reads.answer(context, input),

    archive: async (context, input) => {
      await placeConversation(context, input, { from: 'inbox', to: 'archived' });
      return { ok: true, id: input.id, result: { action: 'archive', applied: true } };
    },

    reopen: async (context, input) => {
      await placeConversation(context, input, { from: 'archived', to: 'inbox' });
      return { ok: true, id: input.id, result: { action: 'reopen', applied: true, inbox: true } };
    },

    comment: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await addComment(context, input, quotaComments),
    }),
  }),
  { target: conversationTarget },
);
