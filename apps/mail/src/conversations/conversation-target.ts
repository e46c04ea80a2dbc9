import { memberOf } from '@postroom/access';
import type { ConversationItem } from '@postroom/contracts';
import type { ReadTarget } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns } from './conversation.view.js';

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
