import { isAdministrator, mayReadBesideMail, memberOf } from '@postroom/access';
import {
  conversationStatuses,
  placements,
  Problem,
  type ConversationItem,
  type ConversationPage,
  type ListConversations,
} from '@postroom/contracts';
import { canonicalJson, workspaceNow, type Reading } from '@postroom/operations';
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
import { labelKey } from './spelled-labels.js';

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
  const [firstSnapshot, , , beganAt = (await workspaceNow(context)).toISOString()] = cursor;
  const senders = await sendersOf(context, input);
  const bounds = { cursor, beganAt, count: limit + 1 };
  const found = await scanConversations(context, { ...input, senders }, bounds);
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
  const { limit: _limit, pageToken: _token, ...parameters } = input;
  return ['conversations.list', tenantId, canonicalJson(parameters)];
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

const placeholders = (count: number): string =>
  Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ');

const scan = (by: string): Statement<Scanned> =>
  statement(
    `conversations.page_by_${by}`,
    `SELECT ${conversationColumns('(w.conversation)', '$2::text')},
       ${instant('w.stood_at')} AS "orderedAt", ${snapshot}
     FROM page_by_${by}(${placeholders(12)}) w`,
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
   FROM page_by_change(${placeholders(16)}) w`,
);

const scanByFilters = statement<Scanned>(
  'conversations.page_by_filters',
  `SELECT ${conversationColumns('(w.conversation)', '$2::text', 'w.snoozed_until')},
     ${instant('w.stood_at')} AS "orderedAt", ${snapshot}
   FROM page_by_filters(${placeholders(17)}) w`,
);

const addressesOf = statement<{ address: string }>(
  'contacts.addresses_of',
  'SELECT address FROM addresses_of($1, $2, $3, $4) address',
);

/** The addresses of the contact that is asked for; null where none is. */
async function sendersOf(
  { rows, caller }: Reading,
  { contactId }: ListConversations,
): Promise<string[] | null> {
  if (contactId === undefined) return null;
  if (!mayReadBesideMail(caller, 'read:contacts')) return [];
  const found = await rows(addressesOf, [memberOf(caller), isAdministrator(caller), contactId]);
  return found.map(({ address }) => address);
}

/** The input of a list, with the addresses of its contact. */
type Listing = ListConversations & { readonly senders: readonly string[] | null };

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
  input: Listing,
  { cursor, beganAt, count }: PageBounds,
): Promise<ScannedItem[]> {
  const member = memberOf(context.caller);
  // The list that is asked for most has a function of its own, which also takes the snapshot of the pages to come.
  const isSpecial = hasMoreFilters(input);
  if (cursor.length === 0 && isInbox(input) && !isSpecial) {
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
    ...startOf(input, cursor),
    count,
    ...filtersOf(input),
    ...moreFiltersOf(input),
  ]);
  return rows.map(({ orderedAt, snapshot, ...item }) => ({ item, orderedAt, snapshot }));
}

/** The snapshot, or the time of an order of changes, and the place from which a scan continues. */
function startOf(
  { updatedSince, sort }: ListConversations,
  [firstSnapshot, at, id]: Cursor,
): readonly (string | null)[] {
  if (updatedSince !== undefined) return [updatedSince, at ?? updatedSince, id ?? ''];
  return [firstSnapshot ?? null, at ?? (isUpwards(sort) ? '-infinity' : 'infinity'), id ?? ''];
}

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

/** True for filters and orders that have no function of their own. */
const hasMoreFilters = ({ senders, teamId, unread, snoozed, sort }: Listing): boolean =>
  senders !== null ||
  teamId !== undefined ||
  unread !== undefined ||
  snoozed !== undefined ||
  isUpwards(sort);

const isUpwards = (sort: ListConversations['sort']): boolean =>
  sort === 'oldest' || sort === 'waiting';

/** The scan of the index that is likely to hold the fewest other conversations. */
function scanOf(input: Listing): Statement<Scanned> {
  const { status, assignee, label, updatedSince } = input;
  if (updatedSince !== undefined) return scanByChange;
  if (hasMoreFilters(input)) return scanByFilters;
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

/** Parameters that the scans by change and by filters take beyond these. */
function moreFiltersOf(input: Listing): unknown[] {
  const { teamId, unread, senders, snoozed, sort, updatedSince } = input;
  if (updatedSince !== undefined)
    return [teamId ?? null, unread ?? null, senders, snoozed === 'only'];
  if (!hasMoreFilters(input)) return [];
  return [teamId ?? null, unread ?? null, senders, snoozed ?? null, sort ?? null];
}
