import type { FolderRole, Placement } from '@postroom/contracts';
import { storeHistory } from '../imports/store-history.js';
import type { KnownFolder, LeasedMailbox } from './ledger.js';
import { parse, type ReadSource, type Sync } from './reading.js';
import type { Source } from './remote-mailbox.js';

/** Messages of a folder that are stored without events. */
export interface HistoryPiece {
  readonly mailbox: LeasedMailbox;
  readonly folder: KnownFolder;
  readonly came: readonly Source[];
}

/** The place of a conversation that begins with a message of a folder. */
const placements: Readonly<Partial<Record<FolderRole, Placement>>> = {
  inbox: 'inbox',
  sent: 'inbox',
  archive: 'archived',
};

/** Messages of a commit: few, so that what was parsed is gone before V8 keeps it for old. */
const storedAtOnce = 10;

/**
 * Stores messages of a folder, some in each commit, without events. While some are stored the next ones are parsed. It
 * runs in the inbound thread: V8 lets a heap double before it collects, and that one is small.
 */
export async function storePiece(
  storing: Pick<Sync, 'ledger' | 'parser'>,
  { folder, came }: HistoryPiece,
): Promise<void> {
  let stored: Promise<void> | undefined;
  for (let at = 0; at < came.length; at += storedAtOnce) {
    const next = came.slice(at, at + storedAtOnce).map((source) => parse(storing, source));
    const [read] = await Promise.all([Promise.all(next), stored]);
    stored = storeSome(storing, folder, read);
  }
  await stored;
}

async function storeSome(
  { ledger }: Pick<Sync, 'ledger'>,
  folder: KnownFolder,
  read: readonly ReadSource[],
): Promise<void> {
  const mailbox = { ...ledger.mailbox, automation: false };
  const placement = placements[folder.role];
  await ledger.change(async (changing) => {
    const uids = read.map(({ uid }) => uid);
    const wanted = await ledger.messages.lockWanted(changing, folder, uids);
    const sources = read.filter(({ uid }) => wanted.has(uid));
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
