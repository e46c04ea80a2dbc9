import { memberOf } from '@postroom/access';
import { conversations, type ConversationItem } from '@postroom/contracts';
import { handlers, type ReadTarget } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { conversationColumns } from '../conversation.view.js';
import { addComment } from './add-comment.js';
import { pageOfConversations } from './conversation-pages.js';
import { ConversationReads } from './conversation-reads.js';
import { placeConversation } from './place-conversation.js';

const show = statement<ConversationItem>(
  'conversations.show',
  `SELECT ${conversationColumns('c', '$2::text', 's.until')}
   FROM conversations c JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
   LEFT JOIN snoozes s ON s.tenant_id = c.tenant_id AND s.member_id = $4
     AND s.conversation_id = c.id AND s.until > $5
   WHERE c.tenant_id = $1 AND m.address = $2 AND c.id = $3`,
);

/** A conversation as the list shows it to the member of the key. */
export const conversationTarget: ReadTarget = async ({ rows, at, caller }, id, input) => {
  const { mailbox } = input as { readonly mailbox: string };
  const [view] = await rows(show, [mailbox, id, memberOf(caller), at]);
  if (!view) return null;
  const { version, subject: title } = view;
  return {
    type: 'conversation',
    id,
    version,
    title,
    view,
    within: { type: 'mailbox', id: mailbox },
  };
};

/** Placements from and to which archive and reopen move. */
export const archiving = { from: ['inbox'], to: 'archived' } as const;
export const reopening = { from: ['archived'], to: 'inbox' } as const;

/** Conversations of a shared mailbox; one outside the mailbox that is named does not exist. */
export const ConversationsHandlers = handlers(
  conversations,
  [PageTokens, ConversationReads, MailConfig],
  (tokens, reads, { quotaComments }) => ({
    list: (context, input) => pageOfConversations(context, tokens, input),

    get: (context, input) => reads.answer(context, input),

    archive: async (context, input) => {
      const { version } = await placeConversation(context, input, archiving);
      return { ok: true, id: input.id, result: { action: 'archive', applied: true, version } };
    },

    reopen: async (context, input) => {
      const { version } = await placeConversation(context, input, reopening);
      const result = { action: 'reopen', applied: true, inbox: true, version } as const;
      return { ok: true, id: input.id, result };
    },

    comment: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await addComment(context, input, quotaComments),
    }),
  }),
  { target: conversationTarget },
);
