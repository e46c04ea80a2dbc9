import { readFromOf } from './folders.js';
import type { KnownFolder } from './ledger.js';
import type { Sync } from './reading.js';
import type { Changes } from './remote-mailbox.js';

const headsAtOnce = 500;

/**
 * Finds again what is known of a folder whose UIDs have begun anew. Nothing is told of it; a message that matches
 * nothing is new, or history. Until the end the folder keeps its old numbers, so that a break begins it again.
 */
export async function rematch(
  { remote, ledger }: Sync,
  folder: KnownFolder,
  { numbers, uids }: Changes,
): Promise<void> {
  const place = { folder: folder.folder, uidValidity: numbers.uidValidity };
  for (let at = 0; at < uids.length; at += headsAtOnce) {
    const { came, missing, fault } = await remote.heads(
      folder.path,
      uids.slice(at, at + headsAtOnce),
    );
    if (fault !== undefined) throw fault;
    await ledger.change(async (changing) => {
      await ledger.messages.match(changing, place, came);
      await ledger.messages.want(changing, place, missing, 'history');
    });
  }
  await ledger.change(async (changing) => {
    await ledger.messages.forgetOthers(changing, place);
    await ledger.keepNumbers(changing, folder, numbers, {
      readFrom: readFromOf(numbers, uids),
      allFlags: true,
    });
  });
}
