import type { KnownFolder, Ledger } from './ledger.js';
import type { FolderRole } from '@postroom/contracts';
import type { FolderNumbers, RemoteMailbox } from './remote-mailbox.js';

/** Folders that are looked at, in the order in which they are. In the last two only what was elsewhere counts. */
const watched: readonly FolderRole[] = ['inbox', 'sent', 'archive', 'trash', 'junk'];

/** Folders whose messages are read. */
const read: readonly FolderRole[] = ['inbox', 'sent', 'archive'];

export const isRead = ({ role }: KnownFolder): boolean => read.includes(role);

/** Asks the server for its folders, and answers those that are looked at, the inbox first. */
export async function foldersOf(
  remote: RemoteMailbox,
  ledger: Ledger,
): Promise<readonly KnownFolder[]> {
  const listed = await remote.list();
  return ledger.change(async (changing) => {
    await ledger.keepFolders(changing, listed);
    return watchedFolders(await ledger.folders(changing));
  });
}

/** Those of a mailbox's folders that are looked at. */
export const watchedFolders = (folders: readonly KnownFolder[]): readonly KnownFolder[] =>
  watched.flatMap((role) => folders.filter((folder) => folder.role === role));

/** The lowest UID of those that are known; where there is none, of those that will be. */
export const readFromOf = ({ uidNext }: FolderNumbers, uids: readonly number[]): number =>
  uids[0] ?? uidNext;
