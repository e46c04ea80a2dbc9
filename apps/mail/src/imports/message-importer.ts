import { Injectable } from '@nestjs/common';
import { actorOf } from '@postroom/access';
import {
  Problem,
  type ImportCounts,
  type ImportMessages,
  type ImportProgress,
} from '@postroom/contracts';
import { MessageParser, sentAtOf } from '@postroom/mime';
import { requireRoomFor, UnitOfWork, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { isDuplicateMessage, type ReceivingMailbox } from '../messages/index.js';
import { importMessage, witnessSend, type Imported } from './import-message.js';

/** Well within the gateway's timeout: it sends messages that are not parsed by then once more. */
const parsingMs = 8_000;
const parsedAtOnce = 4;

/** A message of an import; null where it was too large to be kept. */
type ImportedMessage = Imported | null;

interface RunningImport extends ImportCounts {
  readonly mailboxId: string;
  readonly address: string;
}

/** A step that is asked for again waits for the one before it. */
const lockRunning = statement<RunningImport>(
  'imports.lock_one',
  `SELECT i.imported, i.duplicates, i.unparsed, m.id AS "mailboxId", m.address
   FROM imports i JOIN mailboxes m ON m.tenant_id = i.tenant_id AND m.id = i.mailbox_id
   WHERE i.tenant_id = $1 AND i.id = $2 AND i.state = 'running' FOR NO KEY UPDATE OF i`,
);

const findStopped = statement<object>(
  'imports.find_stopped',
  `SELECT FROM imports WHERE tenant_id = $1 AND id = $2 AND state = 'stopped'`,
);

/** Tells whoever runs an import why it is over. */
export async function notRunning({ rows }: Pick<Changing, 'rows'>, id: string): Promise<Problem> {
  const [stopped] = await rows(findStopped, [id]);
  return new Problem(stopped ? 'IMPORT_STOPPED' : 'IMPORT_NOT_FOUND');
}

const recordProgress = statement<object>(
  'imports.record_progress',
  `UPDATE imports SET imported = $3, duplicates = $4, unparsed = $5,
     bytes_read = greatest(bytes_read, $6), progressed_at = $7 WHERE tenant_id = $1 AND id = $2`,
);

/** Imports messages, each once: the counts of an import are in the commit that stored its messages. */
@Injectable()
export class MessageImporter {
  constructor(
    private readonly parser: MessageParser,
    private readonly work: UnitOfWork,
    private readonly config: MailConfig,
  ) {}

  /** @throws Problem IMPORT_NOT_FOUND, IMPORT_STOPPED, QUOTA_EXCEEDED */
  async import({ tenantId, caller }: Reading, input: ImportMessages): Promise<ImportProgress> {
    const messages = await this.parsed(input, tenantId);
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    return this.work.change(origin, null, async (changing) => {
      const [running] = await changing.rows(lockRunning, [input.id]);
      if (!running) throw await notRunning(changing, input.id);
      const { mailboxId, address, ...counts } = running;
      // Imported mail is history: it publishes no event.
      const mailbox = { tenantId, mailboxId, address, automation: false };
      // If the answer to a step was lost, its messages are stored already.
      const done = total(counts) - input.first;
      if (done < 0) throw new Error(`messages of import ${input.id} are missing`);
      const next = messages.slice(done);
      const bytes = next.reduce((sum, message) => sum + (message?.raw.length ?? 0), 0);
      await requireRoomFor(changing, 'storedBytes', this.config.quotaStoredBytes, bytes);
      for (const message of next) {
        counts[await importOne(changing, mailbox, message)] += 1;
      }
      const { imported, duplicates, unparsed } = counts;
      const { id, bytesRead } = input;
      await changing.rows(recordProgress, [
        id,
        imported,
        duplicates,
        unparsed,
        bytesRead,
        changing.at,
      ]);
      return { value: { ...counts, done: total(counts) } };
    });
  }

  /** Parses as many as there is time for, at least one; no connection is held meanwhile. */
  private async parsed(
    { messages, separators = [] }: ImportMessages,
    workspace: string,
  ): Promise<ImportedMessage[]> {
    const untilMs = performance.now() + parsingMs;
    const parsed: ImportedMessage[] = [];
    while (parsed.length < messages.length && performance.now() < untilMs) {
      const next = messages.slice(parsed.length, parsed.length + parsedAtOnce);
      const from = parsed.length;
      const one = (text: string, at: number): Promise<ImportedMessage> =>
        this.parsedOne(text, separators[from + at] ?? '', workspace);
      parsed.push(...(await Promise.all(next.map(one))));
    }
    return parsed;
  }

  private async parsedOne(
    text: string,
    separator: string,
    workspace: string,
  ): Promise<ImportedMessage> {
    if (text === '-') return null;
    const raw = Buffer.from(text, 'base64');
    const receivedAt = sentAtOf(separator.replace(/^From\s+\S+/, ''));
    return { raw, parsed: await this.parser.parse(raw, workspace), receivedAt };
  }
}

/** @returns the count that the message adds to */
async function importOne(
  changing: Changing,
  mailbox: ReceivingMailbox,
  message: ImportedMessage,
): Promise<keyof ImportCounts> {
  if (message === null) return 'unparsed';
  try {
    // In a savepoint, so that a duplicate rolls back what was begun for it and nothing else.
    await changing.manager.transaction(() => importMessage(changing, mailbox, message));
  } catch (error) {
    if (!isDuplicateMessage(error)) throw error;
    await witnessSend(changing, mailbox, message.parsed);
    return 'duplicates';
  }
  return message.parsed.parsed ? 'imported' : 'unparsed';
}

const total = ({ imported, duplicates, unparsed }: ImportCounts): number =>
  imported + duplicates + unparsed;
