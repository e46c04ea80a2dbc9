import type { Budget } from '@postroom/limits';
import { receiveMessage, isDuplicateMessage } from '../messages/index.js';
import { takeArrival } from '../inbound/index.js';
import { storePiece } from './history.js';
import type { KnownFolder } from './ledger.js';
import { fetchPiece, parse, type ReadSource, type Sync } from './reading.js';

/**
 * Reads the new messages of a folder: oldest first in the inbox, each with its event and its own commit. Workspaces
 * take turns.
 */
export async function readArrivals(
  sync: Sync,
  folder: KnownFolder,
  turns: Budget<'workspace'>,
): Promise<void> {
  const { ledger } = sync;
  const { tenantId: workspace } = ledger.mailbox;
  while (await ledger.change((changing) => ledger.messages.hasWanted(changing, folder, 'news'))) {
    await turns.run({ workspace }, () => readSome(sync, folder));
  }
}

async function readSome(sync: Sync, folder: KnownFolder): Promise<void> {
  const piece = await fetchPiece(sync, folder, 'news');
  if (!piece) return;
  if (folder.role === 'inbox') {
    for (const source of piece.came.toSorted((a, b) => a.uid - b.uid)) {
      await storeArrival(sync, folder, await parse(sync, source));
    }
  } else {
    await storePiece(sync, folder, piece);
  }
  if (piece.fault !== undefined) throw piece.fault;
}

async function storeArrival(sync: Sync, folder: KnownFolder, source: ReadSource): Promise<void> {
  const { ledger, quotas, verdictsIn, arrived } = sync;
  const { uid, raw, parsed, receivedAt } = source;
  const auth = verdictsIn(raw);
  const isStored = await ledger.change(async (changing) => {
    const wanted = await ledger.messages.lockWanted(changing, folder, [uid]);
    if (!wanted.has(uid)) return false;
    const inbound = {
      ...{ mailbox: ledger.mailbox, parsed, raw, trace: '' },
      ...(receivedAt && { receivedAt: receivedAt.toISOString() }),
      ...(auth && { auth, isAligned: auth.dmarc === 'pass' }),
    };
    const message = await changing.manager
      .transaction(async () => {
        await takeArrival(changing, raw.length, quotas);
        return (await receiveMessage(changing, inbound)).id;
      })
      .catch((error: unknown) => {
        if (isDuplicateMessage(error)) return null;
        throw error;
      });
    const here =
      message ??
      (await ledger.messages.named(changing, [parsed.messageId ?? ''])).get(
        parsed.messageId ?? '',
      ) ??
      null;
    await ledger.messages.settle(changing, folder, [
      { ...source, message: here, hasMoved: message === null },
    ]);
    return message !== null;
  });
  if (isStored) arrived(receivedAt);
}
