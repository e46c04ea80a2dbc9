import { mayReadBesideMail, memberOf } from '@postroom/access';
import type { ConversationLinks } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const find = statement<{ id: string; title: string; isTask: boolean }>(
  'links.of_conversation',
  'SELECT id, title, is_task AS "isTask" FROM links_of($1, $2, $3, $4, $5)',
);

/** The tasks and events that are about a conversation, as far as the caller may read these. */
export async function linksOfConversation(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  id: string,
): Promise<ConversationLinks> {
  const tasks = mayReadBesideMail(caller, 'read:tasks');
  const events = mayReadBesideMail(caller, 'read:calendar');
  if (!tasks && !events) return { tasks: [], events: [] };
  const found = await rows(find, [id, memberOf(caller), tasks, events]);
  const linksIn = (wanted: boolean) =>
    found.flatMap(({ isTask, ...link }) => (isTask === wanted ? [link] : []));
  return { tasks: linksIn(true), events: linksIn(false) };
}
