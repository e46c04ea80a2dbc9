import type { Caller } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import type { MemberRights, VisibleContainers } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const visibleMailboxesOf = statement<{ address: string }>(
  'mail.visible_mailboxes',
  'SELECT visible_mailboxes($1, $2, $3) AS address',
);

const visibleConversationsOf = statement<{ id: string }>(
  'mail.visible_conversations',
  'SELECT visible_conversations($1, $2, $3, $4) AS id',
);

/** Selects what the caller may see of mail: mailboxes, of a member, and conversations of the caller's mailboxes. */
export const visibleInMail: VisibleContainers = async (context, containers) => [
  ...(await visibleMailboxes(context, containers)),
  ...(await visibleConversations(context, containers)),
];

/** The conversations in mailboxes that a key was given, or that a member is shown. */
const visibleConversations: VisibleContainers = async ({ rows, caller }, containers) => {
  const named = containers.filter(({ type }) => type === 'conversation').map(({ id }) => id);
  if (named.length === 0) return [];
  const grants = caller.type === 'key' ? Object.keys(caller.grants) : [];
  const found = await rows(visibleConversationsOf, [memberShown(caller), grants, named]);
  return found.map(({ id }) => ({ type: 'conversation', id }));
};

/** The member whose mailboxes count; null of a key, which has grants of its own. */
const memberShown = (caller: Caller): string | null =>
  caller.type === 'member' ? caller.memberId : null;

/** The mailboxes that are shared with the workspace or with the member. */
const visibleMailboxes: VisibleContainers = async ({ rows, caller }, containers) => {
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
