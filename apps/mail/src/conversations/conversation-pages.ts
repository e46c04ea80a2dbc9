import { memberOf } from '@postroom/access';
import {
  conversationStatuses,
  placements,
  Problem,
  type ConversationItem,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import {
  instant,
  PageTokens,
  statement,
  type Cursor,
  type ListQuery,
  type Statement,
} from '@postroom/persistence';
import { withContacts } from '../contacts.js';
import { conversationColumns } from '../conversation.view.js';
import { labelKey } from './triage.js';

/**
 * A page of a mailbox, newest first. All pages show the list as the snapshot of the first page has it, so
 * that mail received meanwhile repeats and hides nothing. With `updatedSince` the order is that of the
 * changes, and what changes meanwhile comes again at the end (docs/adr/0017).
 */
export async function pageOfConversations(
  context: Reading,
  tokens: PageTokens,
  input: ListConversations,
): Promise<ConversationPage> {
  const { mailbox, limit, pageToken } = input;
  const query = queryOf(context, input);
  const cursor = tokens.read(query, pageToken);
  const [firstSnapshot, , , beganAt = new Date().toISOString()] = cursor;
  const found = await scanConversations(context, input, { cursor, beganAt, count: limit + 1 });
  if (found.length === 0) await requireMailboxExists(context, mailbox);
  const { rows, nextPageToken } = tokens.pageOf(
    query,
    found,
    limit,
    ({ snapshot, orderedAt, item }) => [firstSnapshot ?? snapshot, orderedAt, item.id, beganAt],
  );
  const items = rows.map(({ item }) => item);
  return { mailbox, conversations: await withContacts(context, items), nextPageToken };
}

/** A token is bound to the workspace, every parameter but `limit`, and the token's version. */
const queryOf = ({ tenantId }: Reading, input: ListConversations): ListQuery => {
  const { mailbox, placement, status, assignee, label, updatedSince } = input;
  const parameters = [mailbox, placement, status, assignee, label, updatedSince];
  return ['conversations.list', tenantId, ...parameters];
};

const mailboxExists = statement<{ exists: boolean }>(
  'conversations.mailbox_exists',
  'SELECT mailbox_exists($1, $2) AS exists',
);

/** @throws Problem when the workspace has no such mailbox */
export async function requireMailboxExists(context: Reading, mailbox: string): Promise<void> {
  const [found] = await context.rows(mailboxExists, [mailbox]);
  if (!found?.exists) throw new Problem('MAILBOX_NOT_FOUND');
}

/** An item of a list, the time by which the list is ordered, and the snapshot that it was read from. */
interface ScannedItem {
  readonly item: ConversationItem;
  readonly orderedAt: string;
  readonly snapshot: string;
}

type WithSnapshot = ConversationItem & Pick<ScannedItem, 'snapshot'>;
type Scanned = WithSnapshot & Pick<ScannedItem, 'orderedAt'>;

/** The snapshot of the statement, which is the one that its functions see too. */
const snapshot = 'pg_current_snapshot()::text AS snapshot';

const list = statement<WithSnapshot>(
  'conversations.list',
  `SELECT ${conversationColumns('c', '$2::text')}, ${snapshot}
   FROM list_conversations($1, $2, $3) c`,
);

const listForMember = statement<WithSnapshot>(
  'conversations.list_for_member',
  `SELECT ${conversationColumns('c', '$2::text')}, ${snapshot}
   FROM list_conversations($1, $2, $3, $4, $5) c`,
);

const parameters = Array.from({ length: 12 }, (_, i) => `$${i + 1}`).join(', ');

const scan = (by: string): Statement<Scanned> =>
  statement(
    `conversations.page_by_${by}`,
    `SELECT ${conversationColumns('(w.conversation)', '$2::text')},
       ${instant('w.stood_at')} AS "orderedAt", ${snapshot}
     FROM page_by_${by}(${parameters}) w`,
  );

const scans = {
  placement: scan('placement'),
  status: scan('status'),
  assignee: scan('assignee'),
  label: scan('label'),
} as const;

const scanByChange = statement<Scanned>(
  'conversations.page_by_change',
  `SELECT ${conversationColumns('(w.conversation)', '$2::text', 'w.snoozed_until')},
     ${instant('(w.conversation).changed_at')} AS "orderedAt", ${snapshot}
   FROM page_by_change(${parameters}) w`,
);

/** The start of a page, and the number of items that it may have. */
interface PageBounds {
  /** Snapshot of the first page, then time and id of the last item of the page before; empty on the first page. */
  readonly cursor: Cursor;
  /** Time of the first page: what "now" means on all pages. */
  readonly beganAt: string;
  readonly count: number;
}

/**
 * Items of a list after a cursor. Snoozes are judged by the time of the first page. Conversations that
 * are snoozed for the caller's member are left out, except of a scan by change, which would miss them.
 */
async function scanConversations(
  context: Reading,
  input: ListConversations,
  { cursor, beganAt, count }: PageBounds,
): Promise<ScannedItem[]> {
  const member = memberOf(context.caller);
  // The list that is asked for most has a function of its own, which also takes the snapshot of the pages to come.
  if (cursor.length === 0 && isInbox(input)) {
    const items = await (member === null
      ? context.rows(list, [input.mailbox, count])
      : context.rows(listForMember, [input.mailbox, count, member, beganAt]));
    return items.map(({ snapshot, ...item }) => ({
      item,
      snapshot,
      orderedAt: item.lastMessageAt,
    }));
  }
  const rows = await context.rows(scanOf(input), [
    input.mailbox,
    member,
    beganAt,
    ...(input.updatedSince === undefined ? downFrom(cursor) : upFrom(input.updatedSince, cursor)),
    count,
    ...filtersOf(input),
  ]);
  return rows.map(({ orderedAt, snapshot, ...item }) => ({ item, orderedAt, snapshot }));
}

/** The snapshot and the place from which a scan newest first continues. */
const downFrom = ([snapshot, at, id]: Cursor): readonly (string | null)[] => [
  snapshot ?? null,
  at ?? 'infinity',
  id ?? '',
];

/** The time and the place from which a scan by change continues. */
const upFrom = (since: string, [, at, id]: Cursor): readonly string[] => [
  since,
  at ?? since,
  id ?? '',
];

/** True for the inbox without any filter. */
const isInbox = ({
  placement,
  status,
  assignee,
  label,
  updatedSince,
}: ListConversations): boolean =>
  placement === 'inbox' &&
  [status, assignee, label, updatedSince].every((filter) => filter === undefined);

/** The scan of the index that is likely to hold the fewest other conversations. */
function scanOf({ status, assignee, label, updatedSince }: ListConversations): Statement<Scanned> {
  if (updatedSince !== undefined) return scanByChange;
  if (assignee !== undefined && assignee !== 'none') return scans.assignee;
  if (label !== undefined) return scans.label;
  if (assignee !== undefined) return scans.assignee;
  return status === undefined ? scans.placement : scans.status;
}

const filtersOf = ({ placement, status, assignee, label }: ListConversations): unknown[] => [
  placement === 'all' ? placements : [placement],
  status === undefined ? conversationStatuses : [status],
  assignee === undefined ? null : assignee === 'none' ? '' : assignee,
  label === undefined ? null : labelKey(label),
];
