import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ErasureAnswer } from '@postroom/contracts';
import { SetupError } from '@postroom/service/setup-error';
import { type Command, type CommandLine, UsageError } from '../run-command.js';
import { MemberSession } from './member-session.js';

const where = '--address ADDRESS --url URL --as ADMINISTRATOR';

/** Exports what a workspace keeps of a correspondent. */
export const exportPerson: Command = {
  words: ['person', 'export'],
  usage: `postroom person export ${where} --to FOLDER
    Writes what the administrator's workspace keeps of a correspondent into a new folder: person.ndjson with
    messages, contacts and events, and each message as it came or left (msg_….eml).`,
  async run(line) {
    const { session, address } = begin(line);
    const { to = '' } = line.options;
    if (to === '') throw new UsageError('Where to? --to FOLDER is missing.');
    await mkdir(to, { recursive: true, mode: 0o700 });
    if ((await readdir(to)).length > 0) throw new SetupError(`"${to}" is not empty.`);
    const answer = await session.open(`/persons/export?email=${encodeURIComponent(address)}`);
    const counts = await new PersonFiles(to).write(answer);
    return Object.entries(counts).map(([type, count]) => `${type}: ${count}`);
  },
};

/** Erases a correspondent from a workspace. */
export const erasePerson: Command = {
  words: ['person', 'erase'],
  usage: `postroom person erase ${where} [--confirm ADDRESS]
    Prints what would be erased of a correspondent in the administrator's workspace; with --confirm it is erased for
    good: texts and files of their messages, contacts, and their address wherever it stands. Run again, it finishes
    what was cut short. Backups keep what they have.`,
  async run(line) {
    const { session, address } = begin(line);
    const { confirm } = line.options;
    if (confirm !== undefined && confirm !== address)
      throw new UsageError('--confirm repeats the address.');
    const asked = { email: address, dryRun: confirm === undefined };
    const { erasure } = await session.call<ErasureAnswer>('POST', '/erasures', asked);
    const { dryRun, ...counts } = erasure;
    const lines = Object.entries(counts).map(([kind, count]) => `${kind}: ${count}`);
    return dryRun ? [...lines, 'Nothing was erased: --confirm does it.'] : lines;
  },
};

function begin({ rest, options, env }: CommandLine) {
  const { url = '', as: email = '', address = '' } = options;
  if (rest.length > 0) throw new UsageError();
  if (address === '') throw new UsageError('Whose data? --address is missing.');
  if (email === '') throw new UsageError('Who asks? --as ADDRESS is missing.');
  if (!URL.canParse(url)) throw new UsageError('Where is Postroom? --url is missing or no URL.');
  const session = new MemberSession({ url: new URL(url).origin, email, env });
  return { session, address };
}

/** A line of an export. */
type PersonLine =
  | { readonly type: 'message' | 'contact' | 'event'; readonly data: object }
  | {
      readonly type: 'eml';
      readonly data: { readonly id: string; readonly start: number; readonly base64: string };
    };

const create = (path: string): Promise<FileHandle> => open(path, 'wx', 0o600);

/** The files of an export, written as its lines come. */
class PersonFiles {
  private message: { readonly id: string; readonly file: FileHandle } | null = null;

  constructor(private readonly folder: string) {}

  async write({ body }: Response): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = { message: 0, contact: 0, event: 0 };
    if (!body) return counts;
    const list = await create(join(this.folder, 'person.ndjson'));
    try {
      const input = Readable.fromWeb(body as never);
      for await (const text of createInterface({ input, crlfDelay: Infinity })) {
        const line = JSON.parse(text) as PersonLine;
        if (line.type === 'eml') {
          await this.append(line.data.id, Buffer.from(line.data.base64, 'base64'));
          continue;
        }
        await list.write(`${text}\n`);
        counts[line.type] = (counts[line.type] ?? 0) + 1;
      }
    } finally {
      await this.message?.file.close();
      await list.close();
    }
    return counts;
  }

  /** The pieces of a message come one behind the other. */
  private async append(id: string, bytes: Buffer): Promise<void> {
    if (!/^msg_\w+$/.test(id)) throw new SetupError('The answer names no message.');
    if (this.message?.id !== id) {
      await this.message?.file.close();
      this.message = { id, file: await create(join(this.folder, `${id}.eml`)) };
    }
    await this.message.file.write(bytes);
  }
}
