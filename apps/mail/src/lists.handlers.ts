import {
  listed,
  listedMax,
  mailLists,
  type LabelCount,
  type ReadableMailbox,
} from '@postroom/contracts';
import { handlers } from '@postroom/operations';
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

/** Names that requests need: what a key was given, or what is shared with a member. */
export const MailListsHandlers = handlers(mailLists, {
  mailboxes: async ({ rows, caller }) => {
    const grants = caller.type === 'key' ? caller.grants : {};
    const memberId = caller.type === 'key' ? null : caller.memberId;
    const found = await rows(readableMailboxes, [memberId, Object.keys(grants), listedMax]);
    const { all, truncated } = listed(found);
    const mailboxes = all.map((one) => ({ ...one, access: grants[one.address] ?? 'write' }));
    return { mailboxes, truncated };
  },

  labels: async (context, { mailbox }) => {
    const found = await context.rows(mailboxLabels, [mailbox, listedMax]);
    if (found.length === 0) await requireMailboxExists(context, mailbox);
    const { all, truncated } = listed(found);
    return { labels: all, truncated };
  },
});
