import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';

/**
 * Whether a folder has the file of a message, whose name holds a digest of its Message-ID (given here without
 * angle brackets): `OUTGOING_OUTBOX_DIR`. The server of `libs/local` names its files so.
 */
export async function findInOutbox(folder: string, messageId: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const wanted = `-${hash('sha256', messageId, 'hex').slice(0, 24)}-`;
  return names.some((name) => name.includes(wanted) && !name.startsWith('.'));
}
