import { memberOf } from '@postroom/access';
import {
  inbox,
  listed,
  listedMax,
  mailLists,
  Problem,
  type InboxCounts,
  type LabelCount,
  type ReadableMailbox,
  type ReadableMailboxes,
} from '@postroom/contracts';
import { handlers, workspaceNow, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { requireMailboxExists } from './conversations/index.js';

const readableMailboxes = statement<Omit<ReadableMailbox, 'access'>>(
  'mail.readable_mailboxes',
  'SELECT id, address, name FROM readable_mailboxes($1, $2, $3, $4)',
);

const mailboxLabels = statement<LabelCount>(
  'mail.mailbox_labels',
  'SELECT label, conversations FROM mailbox_labels($1, $2, $3)',
);

/** The mailboxes that a key was given, or that are shared with a member. */
async function mailboxesOf({ rows, caller }: Reading): Promise<ReadableMailboxes> {
  const grants = caller.type === 'key' ? caller.grants : {};
  const memberId = caller.type === 'key' ? null : caller.memberId;
  const found = await rows(readableMailboxes, [memberId, Object.keys(grants), listedMax]);
  const { all, truncated } = listed(found);
  const mailboxes = all.map((one) => ({ ...one, access: grants[one.address] ?? 'write' }));
  return { mailboxes, truncated };
}

/** Names that requests need: what a key was given, or what is shared with a member. */
export const MailListsHandlers = handlers(mailLists, {
  mailboxes: mailboxesOf,

  labels: async (context, { mailbox }) => {
    const found = await context.rows(mailboxLabels, [mailbox, listedMax]);
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const { all, truncated } = listed(found);
    return { labels: all, truncated };
  },
});

const countUnread = statement<{ id: string; unread: number }>(
  'mail.unread_counts',
  'SELECT id, unread FROM unread_counts($1, $2)',
);

const countInbox = statement<Pick<InboxCounts, 'mine' | 'unassigned' | 'snoozed'>>(
  'mail.inbox_counts',
  'SELECT mine, unassigned, snoozed FROM inbox_counts($1, $2, $3, $4)',
);

/** Counts of the conversations that wait for a member. */
export const InboxHandlers = handlers(inbox, {
  counts: async (context) => {
    const { rows, caller } = context;
    if (caller.type !== 'member') throw new Problem('MEMBER_IDENTITY_INCOMPLETE');
    const values = [memberOf(caller), caller.email, await workspaceNow(context)];
    const [{ mailboxes, truncated }, [counts]] = await Promise.all([
      mailboxesOf(context),
      rows(countInbox, values),
    ]);
    const unread = await rows(countUnread, [mailboxes.map(({ id }) => id)]);
    const byId = new Map(unread.map((one) => [one.id, one.unread]));
    return {
      mailboxes: mailboxes.map((one) => ({ ...one, unread: byId.get(one.id) ?? 0 })),
      truncated,
      ...(counts ?? { mine: 0, unassigned: 0, snoozed: 0 }),
    };
  },
});
