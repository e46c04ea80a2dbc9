import type { Account } from '@postroom/contracts';
import type { IconName } from '../../ui/icons.js';
import type { InboxSearch, View } from '../search-params.js';

export const viewNames: Readonly<Record<View, string>> = {
  mine: 'Mine',
  unassigned: 'Unassigned',
  all: 'All',
  snoozed: 'Snoozed',
  sent: 'Sent',
  archived: 'Archived',
  spam: 'Spam',
  trash: 'Trash',
  search: 'Search',
};

export const viewIcons: Readonly<Record<View, IconName>> = {
  mine: 'me',
  unassigned: 'assign',
  all: 'inbox',
  snoozed: 'snooze',
  sent: 'send',
  archived: 'archive',
  spam: 'spam',
  trash: 'trash',
  search: 'search',
};

/** Counts beside views; null where none is kept. */
export const countOf = ({ counts }: Account, view: View): number | null =>
  view === 'mine' || view === 'unassigned' || view === 'snoozed' ? counts[view] : null;

/** The name of what the list shows: that of the one filter, or of the view. */
export function titleOf(
  account: Account,
  view: View,
  { team, label, mailbox }: InboxSearch,
): string {
  if (view !== 'all') return viewNames[view];
  if (label !== undefined) return label;
  if (team !== undefined) return account.teams.find(({ id }) => id === team)?.name ?? 'Team';
  return mailbox ?? viewNames.all;
}
