import type { ListResponse } from 'imapflow';
import type { FolderRole } from '@postroom/contracts';
import type { ListedFolder } from './remote-mailbox.js';

const foldersMax = 1_000;
const pathLengthMax = 500;

/** RFC 6154; imapflow guesses them from known names where the server names none. */
const roleOfUse: Readonly<Record<string, FolderRole>> = {
  '\\Inbox': 'inbox',
  '\\Sent': 'sent',
  '\\Archive': 'archive',
  '\\Trash': 'trash',
  '\\Junk': 'junk',
  '\\Drafts': 'drafts',
};

/**
 * The folders of a list that can be opened, those with a role first: one of each role, and at most a thousand in all.
 * A name that PostgreSQL cannot keep, or that is longer than servers allow, is left out.
 */
export function foldersOf(listed: readonly ListResponse[]): ListedFolder[] {
  const taken = new Set<FolderRole>();
  const found = listed
    .filter(({ path, flags }) => isOrdinary(path) && !flags.has('\\Noselect'))
    .map(({ path, delimiter, specialUse = '' }): ListedFolder => {
      const named = path.toUpperCase() === 'INBOX' ? 'inbox' : (roleOfUse[specialUse] ?? 'other');
      const role = taken.has(named) ? 'other' : named;
      if (role !== 'other') taken.add(role);
      return { path, delimiter: delimiter.slice(0, 1), role };
    });
  const isKnown = ({ role }: ListedFolder): boolean => role !== 'other';
  return [...found.filter(isKnown), ...found.filter((one) => !isKnown(one))].slice(0, foldersMax);
}

const isOrdinary = (path: string): boolean =>
  path.length > 0 && path.length <= pathLengthMax && !path.includes('\0') && path.isWellFormed();
