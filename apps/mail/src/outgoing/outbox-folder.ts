import { hash, randomBytes } from 'node:crypto';
import { open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** A Message-ID as file names have it: any text may stand in a header. */
const nameOf = (messageId: string): string => hash('sha256', messageId, 'hex').slice(0, 24);

const messageIdHeader = /^message-id:[ \t]*(?:\r?\n[ \t]+)?<([^<>\r\n]+)>/im;

/** Of 64 KiB at most each; a head is seldom longer than the first. */
const headChunksMax = 4;

/** Keeps a message in a folder that is there, as one file, whole and on the disk when this resolves. */
export async function keepInOutbox(folder: string, raw: readonly Buffer[]): Promise<void> {
  const start = Buffer.concat(raw.slice(0, headChunksMax)).toString('latin1');
  const end = start.indexOf('\r\n\r\n');
  const head = end < 0 ? start : start.slice(0, end);
  const messageId = messageIdHeader.exec(head)?.[1] ?? '';
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  // A message that is taken twice is two files: nothing is hidden here.
  const name = `${time}-${nameOf(messageId)}-${randomBytes(4).toString('hex')}.eml`;
  const half = join(folder, `.${name}.tmp`);
  const file = await open(half, 'w', 0o600);
  try {
    await file.writev(raw);
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
