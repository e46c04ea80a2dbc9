import { compact } from './fetched-rows.js';
import { ChangeRefused, faultOf, FolderRefused } from './faults.js';
import { ordinary, type ImapClient } from './imap-client.js';
import type { FlagChange, Moved, RemotePlace } from './remote-mailbox.js';

/** `store` of a remote mailbox. */
export function storeFlags(
  client: ImapClient,
  place: RemotePlace,
  uids: readonly number[],
  { add, remove }: FlagChange,
): Promise<boolean> {
  return changed(client, place, false, async () => {
    const { mailbox } = client.flow;
    const permanent = (mailbox && mailbox.permanentFlags) || new Set(['\\*']);
    if (add.some((flag) => !flag.startsWith('\\') && !permanent.has(flag)) && !permanent.has('\\*'))
      throw new ChangeRefused('keywords_refused', 'The server keeps no keywords.');
    const [range, options] = [compact(uids), { uid: true, silent: true }];
    const isAdded =
      add.length === 0 || (await client.flow.messageFlagsAdd(range, [...add], options));
    const isRemoved =
      remove.length === 0 || (await client.flow.messageFlagsRemove(range, [...remove], options));
    requireDone(client, isAdded && isRemoved);
    return true;
  });
}

/**
 * `move` of a remote mailbox. A server without MOVE copies and deletes, if it can delete those messages alone (RFC 4315):
 * what another client has marked as deleted is not ours to expunge.
 */
export function moveMessages(
  client: ImapClient,
  place: RemotePlace,
  uids: readonly number[],
  to: string,
  areThere: boolean,
): Promise<Moved | null> {
  return changed(client, place, null, async () => {
    const { capabilities } = client.flow;
    const canMove = capabilities.has('MOVE');
    if (!canMove && !capabilities.has('UIDPLUS'))
      throw new ChangeRefused('move_unsupported', 'The server has neither MOVE nor UIDPLUS.');
    const range = compact(uids);
    const untold = { uidValidity: null, pairs: uids.map((uid) => [uid, null] as const) };
    if (areThere && !canMove) {
      requireDone(client, await client.flow.messageDelete(range, { uid: true }));
      return untold;
    }
    const moved = await client.flow.messageMove(range, to, { uid: true });
    requireDone(client, moved !== false);
    if (!moved || !moved.uidMap || moved.uidValidity === undefined) return untold;
    const pairs = [...moved.uidMap].filter(([from]) => uids.includes(from));
    return { uidValidity: String(moved.uidValidity), pairs };
  });
}

/** Does something in a folder whose UIDs are meant, and in no other. */
function changed<T>(
  client: ImapClient,
  { path, uidValidity }: RemotePlace,
  unknown: T,
  work: () => Promise<T>,
): Promise<T> {
  return client
    .within(ordinary, () =>
      client.opened(path, async () => {
        const { mailbox } = client.flow;
        return mailbox && String(mailbox.uidValidity) === uidValidity ? work() : unknown;
      }),
    )
    .catch((error: unknown) => {
      if (error instanceof FolderRefused)
        throw new ChangeRefused('server_refused', faultOf(error).text);
      throw error;
    });
}

function requireDone(client: ImapClient, isDone: boolean): void {
  if (!client.flow.usable) throw new Error('the connection was closed');
  if (isDone) return;
  const { text } = faultOf(client.because('The server refuses it'));
  throw new ChangeRefused('server_refused', text);
}
