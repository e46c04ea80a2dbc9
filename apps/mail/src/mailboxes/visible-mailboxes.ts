import type { VisibleContainers } from '@postroom/operations';
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
