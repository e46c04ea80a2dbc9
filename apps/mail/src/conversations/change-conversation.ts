import { Problem, type ConversationItem, type GetConversation } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns } from './conversation.view.js';

/** A conversation whose row is locked until the end of the transaction. */
export type LockedConversation = ConversationItem & { readonly mailboxId: string };

const lock = statement<LockedConversation>(
  'conversations.lock',
  `SELECT ${conversationColumns('c', '$2::text')}, c.mailbox_id AS "mailboxId"
   FROM conversations c JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
   WHERE c.tenant_id = $1 AND m.address = $2 AND c.id = $3
   FOR NO KEY UPDATE OF c`,
);

/**
 * Reads and locks a conversation for a change: concurrent changes wait, and then see this one.
 * @throws Problem CONVERSATION_NOT_FOUND
 */
export async function lockConversation(
  { rows }: Pick<Changing, 'rows'>,
  { id, mailbox }: GetConversation,
): Promise<LockedConversation> {
  const [found] = await rows(lock, [mailbox, id]);
  if (!found) throw new Problem('CONVERSATION_NOT_FOUND');
  return found;
}

/** What triage changes of a conversation. */
export type Triaged = Pick<ConversationItem, 'assignee' | 'status' | 'teamId' | 'labels'>;

const change = statement<ConversationItem & { sequence: number }>(
  'conversations.change',
  `UPDATE conversations c SET assignee = $4, status = $5, team_id = $6, labels = $7,
     version = c.version + 1, event_sequence = c.event_sequence + 1,
     updated_at = greatest(c.updated_at, $8::timestamptz)
   WHERE c.tenant_id = $1 AND c.id = $3
   RETURNING ${conversationColumns('c', '$2::text')}, c.event_sequence AS sequence`,
);

/** Changes a locked conversation, and answers what its event carries. */
export async function changeConversation(
  context: Pick<Changing, 'rows' | 'at'>,
  before: LockedConversation,
  changes: Partial<Triaged>,
) {
  const { id, mailbox } = before;
  const { assignee, status, teamId, labels } = { ...before, ...changes };
  const values = [mailbox, id, assignee, status, teamId, labels, context.at];
  const [changed] = await context.rows(change, values);
  if (!changed) throw new Error(`conversation ${id} vanished under its lock`);
  const { sequence, ...conversation } = changed;
  return {
    resource: { type: 'conversation', id },
    sequence,
    data: { conversation },
    previous: previousOf(before, changes),
  } as const;
}

/** The old values of what a change names. */
const previousOf = (before: Triaged, changes: Partial<Triaged>): Partial<Triaged> =>
  Object.fromEntries(Object.entries(before).filter(([name]) => Object.hasOwn(changes, name)));
