import type { FolderRole, Placement } from '@postroom/contracts';
import { requireRoomFor } from '@postroom/operations';
import { storeHistory } from '../imports/index.js';
import type { KnownFolder } from './ledger.js';
import { parse, type Piece, type ReadSource, type Sync } from './reading.js';

/** The place of a conversation that begins with a message of a folder. */
const placements: Readonly<Partial<Record<FolderRole, Placement>>> = {
  inbox: 'inbox',
  sent: 'inbox',
  archive: 'archived',
};

/** Messages of a commit: few, so that what was parsed is gone before V8 keeps it for old. */
const storedAtOnce = 10;

/** Stores messages of a folder, some in each commit, without events. While some are stored the next ones are parsed. */
export async function storePiece(
  sync: Sync,
  folder: KnownFolder,
  { came }: Pick<Piece, 'came'>,
): Promise<void> {
  let storing: Promise<void> | undefined;
  for (let at = 0; at < came.length; at += storedAtOnce) {
    const next = came.slice(at, at + storedAtOnce).map((source) => parse(sync, source));
    const [read] = await Promise.all([Promise.all(next), storing]);
    storing = storeSome(sync, folder, read);
  }
  await storing;
}

async function storeSome(
  { ledger, quotas }: Sync,
  folder: KnownFolder,
  read: readonly ReadSource[],
): Promise<void> {
  const mailbox = { ...ledger.mailbox, automation: false };
  const placement = placements[folder.role];
  await ledger.change(async (changing) => {
    const uids = read.map(({ uid }) => uid);
    const wanted = await ledger.messages.lockWanted(changing, folder, uids);
    const sources = read.filter(({ uid }) => wanted.has(uid));
    const bytes = sources.reduce((sum, { raw }) => sum + raw.length, 0);
    await requireRoomFor(changing, 'storedBytes', quotas.quotaStoredBytes, bytes);
    const messages = sources.map(({ raw, parsed, receivedAt }) => ({
      ...{ raw, parsed, at: receivedAt?.toISOString() ?? parsed.sentAt },
      ...(folder.role !== 'archive' && { isSent: folder.role === 'sent' }),
      ...(placement && { placement }),
    }));
    const outcomes = await storeHistory(changing, mailbox, messages);
    const settled = sources.map((source, at) => ({
      ...source,
      message: outcomes[at]?.id ?? null,
      hasMoved: folder.role === 'archive' && outcomes[at]?.isDuplicate === true,
    }));
    await ledger.messages.settle(changing, folder, settled);
  });
}
