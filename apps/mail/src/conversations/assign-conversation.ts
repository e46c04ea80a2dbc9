import type { AssignConversation, AssignResult, triage } from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { changeConversation, lockConversation, type Triaged } from './change-conversation.js';

/**
 * Assigns a conversation and sets its status, as far as the input says. A member or a team that is
 * removed later stays assigned, since they had the work. Assigning either again is refused, as for every
 * unknown one (`decisions.md` §4).
 *
 * @throws Problem CONVERSATION_NOT_FOUND
 */
export async function assignConversation(
  context: Writing<typeof triage.assign>,
  input: AssignConversation,
): Promise<AssignResult> {
  const before = await lockConversation(context, input);
  const changes = differing(before, input);
  const changed = Object.keys(changes).length > 0;
  if (changed) {
    const change = await changeConversation(context, before, changes);
    context.emit({ type: 'conversation.assigned', ...change });
  }
  const { assignee, status, teamId } = { ...before, ...changes };
  return { assignee, status, teamId, changed };
}

/** What the input gives and the conversation has otherwise. */
const differing = (
  before: Triaged,
  { assignee, status, teamId }: AssignConversation,
): Partial<Triaged> => ({
  ...(assignee !== undefined && assignee !== before.assignee && { assignee }),
  ...(status !== undefined && status !== before.status && { status }),
  ...(teamId !== undefined && teamId !== before.teamId && { teamId }),
});
