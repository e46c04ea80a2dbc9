import type { Message } from '@postroom/contracts';
import type { Budget } from '@postroom/limits';
import type { Changing } from '@postroom/operations';
import { markConversation } from '../conversations/index.js';
import { receiveMessage, isDuplicateMessage } from '../messages/index.js';
import { takeArrival } from '../inbound/index.js';
import { handOver } from './hand-over.js';
import type { KnownFolder, Ledger } from './ledger.js';
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
    await turns.runInTurn({ workspace }, () => readSome(sync, folder));
  }
}

async function readSome(sync: Sync, folder: KnownFolder): Promise<void> {
  const piece = await fetchPiece(sync, folder, 'news');
  if (!piece) return;
  try {
    if (folder.role === 'inbox') {
      for (const source of piece.came.toSorted((a, b) => a.uid - b.uid)) {
        await storeArrival(sync, folder, await parse(sync, source));
      }
    } else {
      await handOver(sync, folder, piece.came);
    }
  } finally {
    piece.done();
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
    const stored = await changing.manager
      .transaction(async () => {
        await takeArrival(changing, raw.length, quotas);
        return receiveMessage(changing, inbound);
      })
      .catch((error: unknown) => {
        if (isDuplicateMessage(error)) return null;
        throw error;
      });
    const here =
      stored?.id ??
      (await ledger.messages.named(changing, [parsed.messageId ?? ''])).get(
        parsed.messageId ?? '',
      ) ??
      null;
    await ledger.messages.settle(changing, folder, [
      { ...source, message: here, hasMoved: stored === null },
    ]);
    if (stored) await followSeen(changing, ledger, source, stored);
    return stored !== null;
  });
  if (isStored) arrived(receivedAt);
}

/** Marks a message as read that another client has read before it came here, where changes go both ways. */
async function followSeen(
  changing: Changing,
  { changes, mailbox: { address: mailbox } }: Ledger,
  { flags }: ReadSource,
  { threadId: id }: Message,
): Promise<void> {
  if (!flags.includes('\\Seen') || !(await changes.isTwoWay(changing))) return;
  await markConversation(changing, { id, mailbox, unread: false });
}
