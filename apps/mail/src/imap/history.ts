import type { FolderRole, Placement } from '@postroom/contracts';
import { requireRoomFor } from '@postroom/operations';
import { storeHistory } from '../imports/index.js';
import type { KnownFolder } from './ledger.js';
import { parse, type Piece, type Sync } from './reading.js';

/** The place of a conversation that begins with a message of a folder. */
const placements: Readonly<Partial<Record<FolderRole, Placement>>> = {
  inbox: 'inbox',
  sent: 'inbox',
  archive: 'archived',
};

/** Stores messages of a folder in one commit, without events. */
export async function storePiece(
  sync: Sync,
  folder: KnownFolder,
  { came }: Pick<Piece, 'came'>,
): Promise<void> {
  const { ledger, quotas } = sync;
  if (came.length === 0) return;
  const read = await Promise.all(came.map((source) => parse(sync, source)));
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
