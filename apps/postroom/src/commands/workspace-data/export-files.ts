import { createHash } from 'node:crypto';
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SetupError } from '@postroom/service/setup-error';

/** The version of the format; the one before had no list of the messages in the mbox files. */
export const exportFormat = 2;

/** A file of an export. */
export interface ExportedFile {
  readonly path: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** A part of a file, and how many records it has. */
export interface FilePart {
  readonly text: string | Buffer;
  readonly records: number;
}

/** The folder of an export; `manifest.json` is written last, so one without it is not whole. */
export class ExportFiles {
  readonly written: ExportedFile[] = [];

  private constructor(private readonly folder: string) {}

  /** @throws SetupError when there is something in the folder */
  static async in(folder: string): Promise<ExportFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new SetupError(`"${folder}" is not empty.`);
    return new ExportFiles(folder);
  }

  /** Writes a file part by part; one without a part is not made. */
  async write(path: string, parts: AsyncIterable<FilePart>): Promise<void> {
    const file = join(this.folder, path);
    const hash = createHash('sha256');
    let [records, bytes] = [0, 0];
    let handle: Awaited<ReturnType<typeof open>> | undefined;
    try {
      for await (const part of parts) {
        if (!handle) {
          await mkdir(dirname(file), { recursive: true, mode: 0o700 });
          handle = await open(file, 'wx', 0o600);
        }
        const data = Buffer.from(part.text);
        await handle.writeFile(data);
        hash.update(data);
        records += part.records;
        bytes += data.length;
      }
      await handle?.sync();
    } finally {
      await handle?.close();
    }
    if (handle) this.written.push({ path, records, bytes, sha256: hash.digest('hex') });
  }

  finish(facts: object): Promise<void> {
    const manifest = { ...facts, files: this.written };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    return writeFile(join(this.folder, 'manifest.json'), text, { mode: 0o600, flag: 'wx' });
  }
}

/** The longest name of a file, without its extension and an id. */
const nameBytesMax = 120;

/** A name as a part of a path; with the id where another name could become the same. */
export function fileName(name: string, id: string): string {
  const clean = name.replace(/[^\p{L}\p{N}@._+-]+/gu, '-').replace(/^\.+/, '');
  const letters = [...clean];
  while (Buffer.byteLength(letters.join('')) > nameBytesMax) letters.pop();
  const short = letters.join('');
  return short === name && name !== '' ? name : `${short}-${id}`;
}

/** A message as it was kept: its trace header, and its bytes. */
interface KeptMessage {
  readonly trace: string;
  readonly raw: Buffer;
  readonly receivedAt: Date;
}

/** Lines end with a line feed alone: after another carriage return nothing would be taken away again. */
const quoted = /(^|\n)(>*From )/g;

/** A message of an mbox file in the dialect mboxrd, which loses nothing when it is read again. */
export function mboxEntry({ trace, raw, receivedAt }: KeptMessage): Buffer {
  // Bytes as characters, so that any byte stays what it is.
  const text = (trace + raw.toString('latin1')).replace(quoted, '$1>$2');
  const [day = '', month = '', date = '', time = ''] = clockOf(receivedAt);
  const separator = `From postroom ${day} ${month} ${date} ${time} ${receivedAt.getUTCFullYear()}`;
  const end = text.endsWith('\n') ? '\n' : '\n\n';
  return Buffer.from(`${separator}\n${text}${end}`, 'latin1');
}

/** Day, month, day of the month and time, as `asctime` writes them (RFC 4155). */
function clockOf(at: Date): string[] {
  const [weekday = '', date = '', month = '', , time = ''] = at.toUTCString().split(' ');
  return [weekday.slice(0, 3), month, date.replace(/^0/, ' '), time];
}
