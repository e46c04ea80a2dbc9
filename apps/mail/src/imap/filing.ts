import { ChangeRefused, faultOf } from './faults.js';
import { uidMax } from './fetched-rows.js';
import { ordinary, type ImapClient } from './imap-client.js';
import type { Appended, MessageUids } from './remote-mailbox.js';

/** `find` of a remote mailbox. */
export function findMessage(
  client: ImapClient,
  path: string,
  messageId: string,
): Promise<MessageUids> {
  const { flow } = client;
  return client.within(ordinary, () =>
    client.opened(path, async () => {
      // A folder that stays open shows what has come since only after a command.
      await flow.noop();
      const found = await flow.search(
        { header: { 'message-id': `<${messageId}>` } },
        { uid: true },
      );
      if (!Array.isArray(found)) throw client.because('the server does not search its folder');
      const uids = found.filter((uid) => uid >= 1 && uid <= uidMax);
      return { uidValidity: flow.mailbox ? String(flow.mailbox.uidValidity) : '0', uids };
    }),
  );
}

/**
 * `append` of a remote mailbox.
 * @throws ChangeRefused
 */
export async function appendMessage(
  client: ImapClient,
  path: string,
  raw: Buffer,
  at: Date,
): Promise<Appended | null> {
  const bounds = { ...ordinary, ms: 10 * 60_000 };
  const appending = client.within(bounds, () => client.flow.append(path, raw, ['\\Seen'], at));
  const done = await appending.catch((error: unknown) => {
    if (!client.flow.usable) throw error;
    throw new ChangeRefused('server_refused', faultOf(error).text);
  });
  if (!done) throw new Error('the connection was closed');
  const { uid, uidValidity } = done;
  return uid && uidValidity ? { uid, uidValidity: String(uidValidity) } : null;
}

/** `remove` of a remote mailbox: only what can be deleted alone (RFC 4315). */
export function removeMessage(
  client: ImapClient,
  path: string,
  { uid, uidValidity }: Appended,
): Promise<void> {
  const { flow } = client;
  return client.within(ordinary, () =>
    client.opened(path, async () => {
      const isMeant = flow.mailbox && String(flow.mailbox.uidValidity) === uidValidity;
      if (isMeant && flow.capabilities.has('UIDPLUS')) {
        await flow.messageDelete(String(uid), { uid: true });
      }
    }),
  );
}
