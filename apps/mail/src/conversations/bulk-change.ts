import {
  bulk,
  Problem,
  type BulkAction,
  type BulkAnswer,
  type BulkResult,
  type ChangeConversations,
} from '@postroom/contracts';
import { handlers, type Writing } from '@postroom/operations';
import { archiving, reopening } from './conversations.handlers.js';
import { markConversation, moveConversation, placeConversation } from './place-conversation.js';
import { snoozeConversation, unsnoozeConversation } from './snooze-conversation.js';
import { assignConversation, labelConversation } from './triage.js';

type Context = Writing<typeof bulk.change>;
type Change = (
  context: Context,
  input: ChangeConversations & { readonly id: string },
) => Promise<{ readonly version: number }>;

/** Each action as the operation on one conversation does it; the input has the fields that it needs. */
const changes: Readonly<Record<BulkAction, Change>> = {
  read: (context, { unread = false, ...input }) => markConversation(context, { ...input, unread }),
  move: (context, { placement = 'inbox', ...input }) =>
    moveConversation(context, { ...input, placement }),
  archive: (context, input) => placeConversation(context, input, archiving),
  reopen: (context, input) => placeConversation(context, input, reopening),
  assign: assignConversation,
  labels: labelConversation,
  snooze: (context, { until = '', ...input }) => snoozeConversation(context, { ...input, until }),
  unsnooze: unsnoozeConversation,
};

/**
 * Changes conversations one by one in one transaction, in the order of their ids, so that two such requests never
 * wait for each other in a circle. What is refused of one is undone for that one.
 */
async function changeConversations(
  context: Context,
  input: ChangeConversations,
): Promise<BulkAnswer> {
  const { mailbox, ids, action } = input;
  const results = new Map<string, BulkResult>();
  for (const id of ids.toSorted()) {
    await context.manager.query('SAVEPOINT one');
    try {
      const { version } = await changes[action](context, { ...input, id });
      results.set(id, { id, ok: true, code: null, version });
      await context.manager.query('RELEASE SAVEPOINT one');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await context.manager.query('ROLLBACK TO SAVEPOINT one');
      results.set(id, { id, ok: false, code: error.code, version: null });
    }
  }
  const inOrder = ids.flatMap((id) => results.get(id) ?? []);
  context.subjects(inOrder.filter(({ ok }) => ok).map(({ id }) => id));
  return { mailbox, results: inOrder };
}

/** Changes of many conversations at once. */
export const BulkHandlers = handlers(bulk, { change: changeConversations });
