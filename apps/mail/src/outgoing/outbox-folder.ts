import { hash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** A Message-ID as file names have it: any text may stand in a header. */
const nameOf = (messageId: string): string => hash('sha256', messageId, 'hex').slice(0, 24);

const messageIdHeader = /^message-id:[ \t]*(?:\r?\n[ \t]+)?<([^<>\r\n]+)>/im;

/** Keeps a message as one file, whole and on the disk when this resolves. */
export async function keepInOutbox(folder: string, raw: Buffer): Promise<void> {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.toString('latin1', 0, end < 0 ? raw.length : end);
  const messageId = messageIdHeader.exec(head)?.[1] ?? '';
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  // A message that is taken twice is two files: nothing is hidden here.
  const name = `${time}-${nameOf(messageId)}-${randomBytes(4).toString('hex')}.eml`;
  await mkdir(folder, { recursive: true });
  const half = join(folder, `.${name}.tmp`);
  const file = await open(half, 'w', 0o600);
  try {
    await file.writeFile(raw);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(half, join(folder, name));
}

/** Whether the folder has a message of this Message-ID, which is given without angle brackets. */
export async function findInOutbox(folder: string, messageId: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const wanted = `-${nameOf(messageId)}-`;
  return names.some((name) => name.includes(wanted) && !name.startsWith('.'));
}
