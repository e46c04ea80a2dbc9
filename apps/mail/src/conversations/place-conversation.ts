import {
  newId,
  Problem,
  type ConversationMoved,
  type GetConversation,
  type Placement,
} from '@postroom/contracts';
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
     RETURNING c.id, c.version
   ), published AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     SELECT $1, $7::text,
       CASE $5 WHEN 'inbox' THEN 'conversation.reopened' ELSE 'conversation.archived' END,
       id || ' placement', version, $8::text
     FROM placed
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind)
     SELECT $1, $6::timestamptz,
       CASE $5 WHEN 'inbox' THEN 'conversations.reopened' ELSE 'conversations.archived' END
     FROM placed
   )
   SELECT id FROM found`,
);

/**
 * Moves a conversation from one placement to another, and publishes an internal event for members who look at
 * the mailbox; where it is not in the first, nothing changes.
 * @throws Problem CONVERSATION_NOT_FOUND
 */
export async function placeConversation(
  context: Changing<never>,
  input: GetConversation,
  { from, to }: { readonly from: Placement; readonly to: Placement },
): Promise<void> {
  const { id, mailbox } = input;
  const event = [newId('evn'), movedEnvelope(context, input)];
  const [found] = await context.rows(placeAnew, [mailbox, id, from, to, context.at, ...event]);
  if (!found) throw new Problem('CONVERSATION_NOT_FOUND');
}

/** The envelope of the internal event about a change that has no public event. */
export function movedEnvelope(
  { at }: Pick<Changing, 'at'>,
  { id, mailbox }: Pick<GetConversation, 'id' | 'mailbox'>,
): string {
  const moved: ConversationMoved = { occurredAt: at.toISOString(), conversation: { id, mailbox } };
  return JSON.stringify(moved);
}
