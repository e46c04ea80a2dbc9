import { Problem, type GetConversation, type Placement } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const placeAnew = statement<{ id: string }>(
  'conversations.place',
  `WITH found AS (
     SELECT c.id FROM conversations c
     JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
     WHERE c.tenant_id = $1 AND m.address = $2 AND c.id = $3
   ), placed AS (
     UPDATE conversations c SET placement = $5, version = c.version + 1,
       updated_at = greatest(c.updated_at, $6::timestamptz)
     FROM found WHERE c.tenant_id = $1 AND c.id = found.id AND c.placement = $4
     RETURNING c.id
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind)
     SELECT $1, $6::timestamptz,
       CASE $5 WHEN 'inbox' THEN 'conversations.reopened' ELSE 'conversations.archived' END
     FROM placed
   )
   SELECT id FROM found`,
);

/**
 * Moves a conversation from one placement to another; where it is not in the first, nothing changes.
 * @throws Problem CONVERSATION_NOT_FOUND
 */
export async function placeConversation(
  context: Changing<never>,
  { id, mailbox }: GetConversation,
  { from, to }: { readonly from: Placement; readonly to: Placement },
): Promise<void> {
  const [found] = await context.rows(placeAnew, [mailbox, id, from, to, context.at]);
  if (!found) throw new Problem('CONVERSATION_NOT_FOUND');
}
