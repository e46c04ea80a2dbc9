import { memberOf } from '@postroom/access';
import {
  conversationStatuses,
  placements,
  type ConversationItem,
  type ListConversations,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { type Cursor, instant, statement, type Statement } from '@postroom/persistence';
import { conversationColumns } from './conversation.view.js';
import { labelKey } from './label-key.js';

/** An item, where it stands in the order of the walk, and what the list was read from. */
export interface Found {
  readonly item: ConversationItem;
  readonly stoodAt: string;
  readonly snapshot: string;
}

type Seen = ConversationItem & Pick<Found, 'snapshot'>;
type Placed = Seen & Pick<Found, 'stoodAt'>;

/** The snapshot of the statement, which is the one that its functions see too. */
const snapshot = 'pg_current_snapshot()::text AS snapshot';

const list = statement<Seen>(
  'conversations.list',
  `SELECT ${conversationColumns('c', '$2::text')}, ${snapshot}
   FROM list_conversations($1, $2, $3) c`,
);

const listForMember = statement<Seen>(
  'conversations.list_for_member',
  `SELECT ${conversationColumns('c', '$2::text')}, ${snapshot}
   FROM list_conversations($1, $2, $3, $4, $5) c`,
);

const parameters = Array.from({ length: 12 }, (_, i) => `$${i + 1}`).join(', ');

const walk = (by: string): Statement<Placed> =>
  statement(
    `conversations.list_by_${by}`,
    `SELECT ${conversationColumns('(w.conversation)', '$2::text')},
       ${instant('w.stood_at')} AS "stoodAt", ${snapshot}
     FROM list_by_${by}(${parameters}) w`,
  );

const walks = {
  placement: walk('placement'),
  status: walk('status'),
  assignee: walk('assignee'),
  label: walk('label'),
} as const;

const walkByChange = statement<Placed>(
  'conversations.walk_by_change',
  `SELECT ${conversationColumns('(w.conversation)', '$2::text', 'w.snoozed_until')},
     ${instant('(w.conversation).changed_at')} AS "stoodAt", ${snapshot}
   FROM walk_by_change(${parameters}) w`,
);

/** Where a page begins, and what it may hold. */
interface Place {
  /** Null on the first page, which begins at `nowMs`. */
  readonly cursor: Cursor | null;
  readonly nowMs: number;
  readonly count: number;
}

/**
 * Rows of a list after a place in it. Snoozes are judged by the time the walk began; what they hide
 * from the caller's member is left out, but not of a walk by change, which would lose it.
 */
export async function readWalk(
  context: Reading,
  input: ListConversations,
  { cursor, nowMs, count }: Place,
): Promise<Found[]> {
  const member = memberOf(context.caller);
  const judgedAt = timeOf(cursor?.beganAtMs ?? nowMs);
  if (!cursor && isInbox(input)) {
    const items = await (member === null
      ? context.rows(list, [input.mailbox, count])
      : context.rows(listForMember, [input.mailbox, count, member, judgedAt]));
    return items.map(({ snapshot, ...item }) => ({ item, snapshot, stoodAt: item.lastMessageAt }));
  }
  const rows = await context.rows(walkOf(input), [
    input.mailbox,
    member,
    judgedAt,
    ...(input.updatedSince === undefined ? downFrom(cursor) : upFrom(input.updatedSince, cursor)),
    count,
    ...filtersOf(input),
  ]);
  return rows.map(({ stoodAt, snapshot, ...item }) => ({ item, stoodAt, snapshot }));
}

/** As of when, and after which place, a walk newest first goes on. */
const downFrom = (cursor: Cursor | null): readonly (string | null)[] =>
  cursor ? [cursor.asOf, timeOf(cursor.after.atMs), cursor.after.id] : [null, 'infinity', ''];

/** Since when, and after which place, a walk by change goes on. */
const upFrom = (since: string, cursor: Cursor | null): readonly string[] =>
  cursor ? [since, timeOf(cursor.after.atMs), cursor.after.id] : [since, since, ''];

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The list as it is without any of its additions. */
const isInbox = ({
  placement,
  status,
  assignee,
  label,
  updatedSince,
}: ListConversations): boolean =>
  placement === 'inbox' &&
  [status, assignee, label, updatedSince].every((filter) => filter === undefined);

/** The walk by the index that is likely to hold the least besides what is wanted. */
function walkOf({ status, assignee, label, updatedSince }: ListConversations): Statement<Placed> {
  if (updatedSince !== undefined) return walkByChange;
  if (assignee !== undefined && assignee !== 'none') return walks.assignee;
  if (label !== undefined) return walks.label;
  if (assignee !== undefined) return walks.assignee;
  return status === undefined ? walks.placement : walks.status;
}

const filtersOf = ({ placement, status, assignee, label }: ListConversations): unknown[] => [
  placement === 'all' ? placements : [placement],
  status === undefined ? conversationStatuses : [status],
  assignee === undefined ? null : assignee === 'none' ? '' : assignee,
  label === undefined ? null : labelKey(label),
];
