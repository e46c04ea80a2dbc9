import { Problem, type Placement } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { labelConversation, markConversation, placeConversation } from '../conversations/index.js';
import type { FlagsToFollow } from './change-ledger.js';
import { isRead, readFromOf } from './folders.js';
import type { KnownFolder, Ledger } from './ledger.js';
import type { FolderPlace, Settled } from './message-ledger.js';
import type { Sync } from './reading.js';
import { rematch } from './rematch.js';
import type { Changes, Flagged, KeepFlags } from './remote-mailbox.js';

/** Messages of a folder that are read as history, the newest, where no horizon says less. */
const historyMax = 20_000;

/**
 * Looks at a folder: notes in one commit, with the numbers from before, what is to be read, what has moved and what is
 * gone. Flags are kept before it, so that a break has them told again.
 * @returns true if something has gone, or come from another folder
 */
export async function lookAt(sync: Sync, before: KnownFolder): Promise<boolean> {
  const { remote, ledger } = sync;
  const folder = await withOlder(sync, before);
  const known = folder.isKnown ? folder : null;
  const keep: KeepFlags = (flagged) => keepFlags(ledger, folder, flagged);
  const changes = await remote.changes(
    folder.path,
    known && { since: known, keepFlags: keep },
    folder.horizon,
  );
  const { numbers, vanished, present } = changes;
  if (!known) return begin(sync, folder, changes);
  if (numbers.uidValidity !== folder.uidValidity) {
    await rematch(sync, folder, changes);
    return false;
  }
  // A next UID that falls is a fault of the server: what is there is read again, and known by its content.
  if (numbers.uidNext < folder.uidNext) return begin(sync, folder, changes);
  const uids = await ledger.change((changing) =>
    ledger.messages.unknown(changing, folder, changes.uids),
  );
  const arrived = await knownElsewhere(sync, folder, uids);
  await ledger.change(async (changing) => {
    await ledger.messages.lose(changing, folder, vanished, present, folder.uidNext);
    await ledger.messages.settle(changing, folder, arrived);
    if (isRead(folder)) {
      const isKnown = new Set(arrived.map(({ uid }) => uid));
      const wanted = folder.role === 'archive' ? 'history' : 'news';
      await ledger.messages.want(
        changing,
        folder,
        uids.filter((uid) => !isKnown.has(uid)),
        wanted,
      );
    }
    await ledger.keepNumbers(changing, folder, numbers, folder);
  });
  return vanished.length > 0 || present !== null || arrived.length > 0;
}

/** Notes what is to be read of a folder that is known, once its horizon is further back. */
async function withOlder(sync: Sync, folder: KnownFolder): Promise<KnownFolder> {
  const { remote, ledger } = sync;
  if (!folder.isKnown || !folder.wantsOlder || !isRead(folder)) return folder;
  const { numbers, uids } = await remote.changes(folder.path, null, folder.horizon);
  if (numbers.uidValidity !== folder.uidValidity) return folder;
  const wanted = withinMax(folder, uids).filter((uid) => uid < folder.readFrom);
  await ledger.change((changing) => ledger.messages.want(changing, folder, wanted, 'history'));
  return { ...folder, readFrom: wanted[0] ?? folder.readFrom };
}

const withinMax = ({ horizon }: KnownFolder, uids: readonly number[]): readonly number[] =>
  horizon === null ? uids : uids.slice(-historyMax);

/** The first look at a folder: all that is there by then is history. */
async function begin(
  { ledger }: Sync,
  folder: KnownFolder,
  { numbers, uids }: Changes,
): Promise<boolean> {
  const wanted = withinMax(folder, uids);
  const place: FolderPlace = { folder: folder.folder, uidValidity: numbers.uidValidity };
  await ledger.change(async (changing) => {
    if (isRead(folder)) await ledger.messages.want(changing, place, wanted, 'history');
    const readFrom = readFromOf(numbers, wanted);
    await ledger.keepNumbers(changing, folder, numbers, { readFrom, allFlags: true });
  });
  return false;
}

/** Messages that are new to a folder other than the inbox and that are ours already, by their Message-IDs. */
async function knownElsewhere(
  { remote, ledger }: Sync,
  folder: KnownFolder,
  uids: readonly number[],
): Promise<readonly Settled[]> {
  if (uids.length === 0 || folder.role === 'inbox' || folder.role === 'sent') return [];
  const { came, fault } = await remote.heads(folder.path, uids.slice(-historyMax));
  if (fault !== undefined) throw fault;
  const ids = came.flatMap(({ messageId }) => messageId ?? []);
  const named = await ledger.change((changing) => ledger.messages.named(changing, ids));
  return came.flatMap((head) => {
    const message = named.get(head.messageId ?? '');
    return message === undefined ? [] : { ...head, message, hasMoved: true };
  });
}

const from: Readonly<Record<Placement, readonly Placement[]>> = {
  inbox: ['archived', 'trash', 'spam'],
  archived: ['inbox'],
  trash: ['inbox', 'archived'],
  spam: ['inbox', 'archived'],
};

/** Moves conversations to where their messages have gone, once all folders were looked at: some in each commit. */
export async function followMoves(ledger: Ledger): Promise<void> {
  const { address: mailbox } = ledger.mailbox;
  const followSome = async (changing: Changing): Promise<number> => {
    const moves = await ledger.movesToFollow(changing);
    for (const { conversationId: id, placement: to } of moves) {
      if (to === null || !(await ledger.changes.yieldsPlace(changing, id, to))) continue;
      await placeConversation(changing, { id, mailbox }, { from: from[to], to });
    }
    await ledger.followed(changing, moves);
    return moves.length;
  };
  let followed: number;
  do followed = await ledger.change(followSome);
  while (followed > 0);
}

/** Keeps the server's flags, and does here what another client meant by them. */
async function keepFlags(
  ledger: Ledger,
  folder: KnownFolder,
  flagged: readonly Flagged[],
): Promise<void> {
  if (flagged.length === 0) return;
  await ledger.change(async (changing) => {
    for (const flags of await ledger.changes.keepFlags(changing, folder, flagged)) {
      await followFlags(changing, ledger, flags);
    }
  });
}

/** Marks and labels a conversation as another client did, where changes go both ways. */
async function followFlags(
  changing: Changing,
  { mailbox: { address: mailbox } }: Ledger,
  { conversationId: id, unread, added: add, removed: remove }: FlagsToFollow,
): Promise<void> {
  if (unread !== null) await markConversation(changing, { id, mailbox, unread });
  if (add.length + remove.length === 0) return;
  await labelConversation(changing, { id, mailbox, add: [...add], remove: [...remove] }).catch(
    (error: unknown) => {
      // A conversation that has all the labels that it may have takes no more.
      if (!(error instanceof Problem)) throw error;
    },
  );
}
