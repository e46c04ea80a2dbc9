import {
  labelsMax,
  Problem,
  type AssignConversation,
  type AssignResult,
  type ConversationItem,
  type GetConversation,
  type LabelConversation,
  type LabelResult,
  type triage,
} from '@postroom/contracts';
import { requireVersion, type Changing, type Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns } from '../conversation.view.js';
import { byKey, spelled } from './spelled-labels.js';

/** A conversation whose row is locked until the end of the transaction. */
type LockedConversation = ConversationItem & { readonly mailboxId: string };

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

/** The fields of a conversation that triage changes. */
type Triaged = Pick<ConversationItem, 'assignee' | 'status' | 'teamId' | 'labels'>;

const change = statement<ConversationItem & { sequence: number }>(
  'conversations.change',
  `UPDATE conversations c SET assignee = $4, status = $5, team_id = $6, labels = $7,
     version = c.version + 1, event_sequence = c.event_sequence + 1,
     updated_at = greatest(c.updated_at, $8::timestamptz)
   WHERE c.tenant_id = $1 AND c.id = $3
   RETURNING ${conversationColumns('c', '$2::text')}, c.event_sequence AS sequence`,
);

/** Changes a locked conversation, and answers what its event carries. */
async function changeConversation(
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

/**
 * Assigns a conversation and sets its status, as far as the input says. A member or a team that is
 * removed later stays assigned, since they had the work. Assigning either again is refused, as for every
 * unknown one (`decisions.md` §4).
 *
 * @throws Problem CONVERSATION_NOT_FOUND, VERSION_CONFLICT
 */
export async function assignConversation(
  context: Writing<typeof triage.assign>,
  input: AssignConversation,
): Promise<AssignResult> {
  const before = await lockConversation(context, input);
  requireVersion(before, input.ifMatch);
  const changes = differing(before, input);
  const changed = Object.keys(changes).length > 0;
  if (changed) {
    const change = await changeConversation(context, before, changes);
    context.emit({ type: 'conversation.assigned', ...change });
  }
  const { assignee, status, teamId } = { ...before, ...changes };
  return { assignee, status, teamId, changed, version: versionAfter(before, changed) };
}

/** A change counts once. */
const versionAfter = ({ version }: LockedConversation, changed: boolean): number =>
  version + (changed ? 1 : 0);

/** The given fields that differ from those of the conversation. */
const differing = (
  before: Triaged,
  { assignee, status, teamId }: AssignConversation,
): Partial<Triaged> => ({
  ...(assignee !== undefined && assignee !== before.assignee && { assignee }),
  ...(status !== undefined && status !== before.status && { status }),
  ...(teamId !== undefined && teamId !== before.teamId && { teamId }),
});

/**
 * Puts labels on a conversation, then takes labels off it. Two labels are the same when `sameText` says
 * so; a mailbox writes each as it was first written there.
 *
 * @throws Problem CONVERSATION_NOT_FOUND, VERSION_CONFLICT, TOO_MANY_LABELS
 */
export async function labelConversation(
  context: Pick<Changing<'conversation.labeled'>, 'rows' | 'at' | 'emit'>,
  input: LabelConversation,
): Promise<LabelResult> {
  const before = await lockConversation(context, input);
  requireVersion(before, input.ifMatch);
  const present = byKey(before.labels);
  const leaving = byKey(input.remove);
  const isFresh = (key: string): boolean => !present.has(key) && !leaving.has(key);
  const fresh = new Map([...byKey(input.add)].filter(([key]) => isFresh(key)));
  const removed = [...present].filter(([key]) => leaving.has(key)).map(([, label]) => label);
  const added = await spelled(context, before, fresh);
  const labels = [...before.labels.filter((label) => !removed.includes(label)), ...added];
  if (labels.length > labelsMax) throw tooMany();
  const changed = added.length + removed.length > 0;
  if (changed) {
    const change = await changeConversation(context, before, { labels });
    context.emit({ type: 'conversation.labeled', ...change });
  }
  return { labels, added, removed, version: versionAfter(before, changed) };
}

const tooMany = (): Problem => {
  const fr = `${labelsMax} étiquettes au plus par conversation attendues`;
  const message = { fr, en: `expected at most ${labelsMax} labels on a conversation` };
  return new Problem('TOO_MANY_LABELS', { violations: [{ field: 'add', message }] });
};
