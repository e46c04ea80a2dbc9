import type { Account } from '@postroom/contracts';
import { shortTime } from '../../ui/time.js';
import type { Row } from '../list/rows.js';
import type { Change } from './change.js';

const moved = {
  archived: 'Archived',
  inbox: 'Moved to the inbox',
  spam: 'Moved to spam',
  trash: 'Moved to trash',
} as const;

const nameIn = (account: Account, email: string): string =>
  account.members.find((member) => member.email === email)?.name ?? email;

function assigned(change: Change & { action: 'assign' }, account: Account): string {
  if (change.status !== undefined) return `Marked as ${change.status}`;
  if (change.teamId !== undefined) {
    const team = account.teams.find(({ id }) => id === change.teamId);
    return team ? `Given to the team ${team.name}` : 'Taken from its team';
  }
  const { assignee } = change;
  return assignee ? `Assigned to ${nameIn(account, assignee)}` : 'Assigned to nobody';
}

function labelled({ add, remove }: Change & { action: 'labels' }): string {
  const [name = ''] = add.length > 0 ? add : remove;
  const others = add.length + remove.length - 1;
  const rest = others > 0 ? ` and ${others} more` : '';
  return add.length > 0 ? `Labelled ${name}${rest}` : `Label ${name}${rest} removed`;
}

function deed(change: Change, account: Account): string {
  switch (change.action) {
    case 'move':
      return moved[change.placement];
    case 'read':
      return change.unread ? 'Marked unread' : 'Marked read';
    case 'assign':
      return assigned(change, account);
    case 'labels':
      return labelled(change);
    case 'snooze':
      return `Snoozed until ${shortTime(new Date(change.until))}`;
    case 'unsnooze':
      return 'Snooze ended';
  }
}

const subjectMax = 60;

/** A conversation that is assigned may be out of sight at once: its subject says which it was. */
function deedOfOne(change: Change, { subject }: Row, account: Account): string {
  const words = deed(change, account);
  if (change.action !== 'assign' || change.status !== undefined || subject === '') return words;
  const name = subject.length > subjectMax ? `${subject.slice(0, subjectMax)}…` : subject;
  return `“${name}” is ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** The deed in words, for the notice that offers to undo it. */
export function sentenceOf(change: Change, rows: readonly Row[], account: Account): string {
  const [one, ...others] = rows;
  if (one && others.length === 0) return `${deedOfOne(change, one, account)}.`;
  return `${deed(change, account)}: ${rows.length} conversations.`;
}
