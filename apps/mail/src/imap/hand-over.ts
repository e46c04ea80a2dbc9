import { requireRoomFor } from '@postroom/operations';
import type { KnownFolder } from './ledger.js';
import type { Sync } from './reading.js';
import type { Source } from './remote-mailbox.js';

/** Has the inbound thread store messages of a folder, without events, where the workspace has room for them. */
export async function handOver(
  { ledger, quotas, store }: Sync,
  folder: KnownFolder,
  came: readonly Source[],
): Promise<void> {
  if (came.length === 0) return;
  const bytes = came.reduce((sum, { raw }) => sum + raw.length, 0);
  await ledger.change((changing) =>
    requireRoomFor(changing, 'storedBytes', quotas.quotaStoredBytes, bytes),
  );
  await store(folder, came);
  ledger.messages.noteRead(came);
}
