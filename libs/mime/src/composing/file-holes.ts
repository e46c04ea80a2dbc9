import { randomBytes } from 'node:crypto';
import { Base64Lines, base64LinesLength } from './base64-lines.js';
import type { FileSource } from './file-source.js';

/** Of which base64 makes one line. */
const markBytes = 48;

/**
 * The place of a file in a message: nodemailer writes the message around it with `content` for its bytes,
 * and they are put there when its size is known. nodemailer's streams would copy them a dozen times.
 */
export class FileHole {
  readonly content = randomBytes(markBytes);
  readonly mark = this.content.toString('base64');

  constructor(readonly file: Pick<FileSource, 'size' | 'pieces'>) {}
}

/**
 * A message with its files in their holes, which stand in it in their order.
 * @throws BlobGone
 */
export async function filled(frame: Buffer, holes: readonly FileHole[]): Promise<Buffer> {
  const added = holes.map(({ mark, file }) => base64LinesLength(file.size) - mark.length);
  const raw = Buffer.allocUnsafeSlow(added.reduce((sum, bytes) => sum + bytes, frame.length));
  let read = 0;
  let written = 0;
  for (const { mark, file } of holes) {
    const at = frame.indexOf(mark, read);
    if (at < 0) throw new Error('a file has no place in its message');
    written += frame.copy(raw, written, read, at);
    const lines = new Base64Lines(raw, written);
    for await (const piece of file.pieces) lines.add(piece);
    written = lines.end();
    read = at + mark.length;
  }
  frame.copy(raw, written, read);
  return raw;
}
