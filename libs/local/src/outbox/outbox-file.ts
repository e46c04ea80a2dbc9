import { hash, randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const messageIdHeader = /^message-id:[ \t]*(?:\r?\n[ \t]+)?<([^<>\r\n]+)>/im;

/** The part of a message that is searched for its Message-ID; a header is seldom longer than the first chunk. */
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

  /**
   * Names the file after the time and a digest of the Message-ID, whose text may hold what a path must not. A
   * message that is accepted twice becomes two files.
   */
  async keep(): Promise<void> {
    const end = this.head.indexOf('\r\n\r\n');
    const messageId = messageIdHeader.exec(end < 0 ? this.head : this.head.slice(0, end))?.[1];
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const digest = hash('sha256', messageId ?? '', 'hex').slice(0, 24);
    const name = `${time}-${digest}-${randomBytes(4).toString('hex')}.eml`;
    await rename(this.incomplete, join(this.folder, name));
  }

  async discard(): Promise<void> {
    await rm(this.incomplete, { force: true });
  }
}
