import { hash, randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A Message-ID as file names have it: hashed, since a header's text may hold what a path must not. */
const nameOf = (messageId: string): string => hash('sha256', messageId, 'hex').slice(0, 24);

const messageIdHeader = /^message-id:[ \t]*(?:\r?\n[ \t]+)?<([^<>\r\n]+)>/im;

/** Of a header, which names the file; it is seldom longer than the first chunk. */
const headBytesMax = 256 * 1024;

/** A message that is written to a folder: a hidden file until it is complete and on the disk. */
export class OutboxFile {
  private constructor(
    private readonly folder: string,
    private readonly incomplete: string,
    private readonly head: string,
  ) {}

  /** Writes a message as it comes. @throws what cut it off; nothing is left of it then */
  static async of(folder: string, message: AsyncIterable<Buffer>): Promise<OutboxFile> {
    const incomplete = join(folder, `.${randomBytes(12).toString('hex')}.tmp`);
    const file = await open(incomplete, 'w', 0o600);
    let head = '';
    try {
      for await (const chunk of message) {
        if (head.length < headBytesMax) head += chunk.toString('latin1');
        await file.appendFile(chunk);
      }
      await file.datasync();
    } catch (error) {
      await rm(incomplete, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return new OutboxFile(folder, incomplete, head);
  }

  /** A message that is accepted twice becomes two files. */
  async keep(): Promise<void> {
    const end = this.head.indexOf('\r\n\r\n');
    const messageId = messageIdHeader.exec(end < 0 ? this.head : this.head.slice(0, end))?.[1];
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const mark = randomBytes(4).toString('hex');
    await rename(
      this.incomplete,
      join(this.folder, `${time}-${nameOf(messageId ?? '')}-${mark}.eml`),
    );
  }

  async discard(): Promise<void> {
    await rm(this.incomplete, { force: true });
  }
}

/** Deletes the incomplete files that a killed process has left. */
export async function deleteIncomplete(folder: string): Promise<void> {
  const names = await readdir(folder);
  const incomplete = names.filter((name) => name.startsWith('.') && name.endsWith('.tmp'));
  await Promise.all(incomplete.map((name) => rm(join(folder, name), { force: true })));
}

/** Whether the folder has a message of this Message-ID, which is given without angle brackets. */
export async function findInOutbox(folder: string, messageId: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const wanted = `-${nameOf(messageId)}-`;
  return names.some((name) => name.includes(wanted) && !name.startsWith('.'));
}
