import { memberOf, type Caller } from '@postroom/access';
import type { ConversationLinks, Scope } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const find = statement<{ id: string; title: string; isTask: boolean }>(
  'links.of_conversation',
  'SELECT id, title, is_task AS "isTask" FROM links_of($1, $2, $3, $4, $5)',
);

/** Tasks and events are for members, and for keys of members that may read them. */
const mayRead = (caller: Caller, scope: Scope): boolean =>
  caller.type === 'member' || (caller.member !== null && caller.scopes.includes(scope));

/** The tasks and events that are about a conversation, as far as the caller may read these. */
export async function linksOfConversation(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  id: string,
): Promise<ConversationLinks> {
  const [tasks, events] = [mayRead(caller, 'read:tasks'), mayRead(caller, 'read:calendar')];
  if (!tasks && !events) return { tasks: [], events: [] };
  const found = await rows(find, [id, memberOf(caller), tasks, events]);
  const linksIn = (wanted: boolean) =>
    found.flatMap(({ isTask, ...link }) => (isTask === wanted ? [link] : []));
  return { tasks: linksIn(true), events: linksIn(false) };
}
