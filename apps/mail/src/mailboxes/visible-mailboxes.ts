import { Problem } from '@postroom/contracts';
import type { MemberRights, VisibleContainers } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const visibleMailboxesOf = statement<{ address: string }>(
  'mail.visible_mailboxes',
  'SELECT visible_mailboxes($1, $2, $3) AS address',
);

/** The mailboxes that are shared with the workspace or with the member. */
export const visibleMailboxes: VisibleContainers = async ({ rows, caller }, containers) => {
  if (caller.type !== 'member') return [];
  const named = containers.filter(({ type }) => type === 'mailbox').map(({ id }) => id);
  const found = await rows(visibleMailboxesOf, [caller.memberId, named]);
  return found.map(({ address }) => ({ type: 'mailbox', id: address }));
};

/** A member reads and writes in the mailboxes that are shared with the workspace or with the member. */
export const requireSharedMailbox: MemberRights = async (context, { mailbox }, input) => {
  if (mailbox === 'none' || !('mailbox' in input)) return;
  const named = { type: 'mailbox', id: String(input.mailbox) } as const;
  const visible = await visibleMailboxes(context, [named]);
  if (visible.length === 0) throw new Problem('MAILBOX_FORBIDDEN');
};
