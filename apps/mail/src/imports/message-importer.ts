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
import type { ReceivingMailbox } from '../messages/index.js';
import { storeHistory, type HistoricMessage } from './store-history.js';

/** Well within the gateway's timeout: it sends messages that are not parsed by then once more. */
const parsingMs = 8_000;
/** Messages of a commit. */
const storedAtOnce = 6;

/** A message of an import; null where it was too large to be kept. */
type ImportedMessage = HistoricMessage | null;

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

/** Reports the end of an import to its caller, with the reason. */
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

  /**
   * Imports as many as there is time for, at least one. While some are stored the next ones are parsed.
   * @throws Problem IMPORT_NOT_FOUND, IMPORT_STOPPED, QUOTA_EXCEEDED
   */
  async import(reading: Reading, input: ImportMessages): Promise<ImportProgress> {
    const untilMs = performance.now() + parsingMs;
    let storing: Promise<ImportProgress> | undefined;
    let at = 0;
    do {
      const [parsed] = await Promise.all([this.parsed(reading, input, at), storing]);
      storing = this.stored(reading, { ...input, first: input.first + at }, parsed);
      at += storedAtOnce;
    } while (at < input.messages.length && performance.now() < untilMs);
    return storing;
  }

  private stored(
    { tenantId, caller }: Reading,
    { id, first, bytesRead }: ImportMessages,
    messages: readonly ImportedMessage[],
  ): Promise<ImportProgress> {
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    return this.work.change(origin, null, async (changing) => {
      const [running] = await changing.rows(lockRunning, [id]);
      if (!running) throw await notRunning(changing, id);
      const { mailboxId, address, ...counts } = running;
      // Imported mail is history: it publishes no event.
      const mailbox = { tenantId, mailboxId, address, automation: false };
      // If the answer to a step was lost, its messages are stored already.
      const done = total(counts) - first;
      if (done < 0) throw new Error(`messages of import ${id} are missing`);
      const next = messages.slice(done);
      const bytes = next.reduce((sum, message) => sum + (message?.raw.length ?? 0), 0);
      await requireRoomFor(changing, 'storedBytes', this.config.quotaStoredBytes, bytes);
      await importAll(changing, mailbox, next, counts);
      const { imported, duplicates, unparsed } = counts;
      const progress = [imported, duplicates, unparsed, bytesRead, changing.at];
      await changing.rows(recordProgress, [id, ...progress]);
      return { value: { ...counts, done: total(counts) } };
    });
  }

  /** Those from a place on; no connection is held meanwhile. */
  private parsed(
    { tenantId }: Reading,
    { messages, separators = [] }: ImportMessages,
    from: number,
  ): Promise<ImportedMessage[]> {
    return Promise.all(
      messages
        .slice(from, from + storedAtOnce)
        .map((text, n) => this.parsedOne(text, separators[from + n] ?? '', tenantId)),
    );
  }

  private async parsedOne(
    text: string,
    separator: string,
    workspace: string,
  ): Promise<ImportedMessage> {
    if (text === '-') return null;
    const raw = Buffer.from(text, 'base64');
    const parsed = await this.parser.parse(raw, workspace);
    const receivedAt = sentAtOf(separator.replace(/^From\s+\S+/, ''));
    return { raw, parsed, at: parsed.sentAt ?? receivedAt ?? parsed.tracedAt ?? null };
  }
}

/** Stores messages, and adds them to the counts. */
async function importAll(
  changing: Changing,
  mailbox: ReceivingMailbox,
  messages: readonly ImportedMessage[],
  counts: ImportCounts,
): Promise<void> {
  const kept = messages.filter((message) => message !== null);
  counts.unparsed += messages.length - kept.length;
  for (const [n, { isDuplicate }] of (await storeHistory(changing, mailbox, kept)).entries()) {
    if (isDuplicate) counts.duplicates += 1;
    else counts[kept[n]?.parsed.parsed ? 'imported' : 'unparsed'] += 1;
  }
}

const total = ({ imported, duplicates, unparsed }: ImportCounts): number =>
  imported + duplicates + unparsed;
