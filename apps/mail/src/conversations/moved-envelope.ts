import type { ConversationMoved, GetConversation } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';

/** What the gateway is told of a change that has no public event. */
export function movedEnvelope(
  { at }: Pick<Changing, 'at'>,
  { id, mailbox }: Pick<GetConversation, 'id' | 'mailbox'>,
): string {
  const moved: ConversationMoved = { occurredAt: at.toISOString(), conversation: { id, mailbox } };
  return JSON.stringify(moved);
}
