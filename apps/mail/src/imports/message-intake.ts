import { Injectable } from '@nestjs/common';
import { actorOf } from '@postroom/access';
import {
  Problem,
  type ImportCounts,
  type ImportMessages,
  type ImportProgress,
} from '@postroom/contracts';
import { MessageParser } from '@postroom/mime';
import { UnitOfWork, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { importMessage, type Imported } from './import-message.js';

/** Well within what the gateway waits for: what is not read by then is asked for once more. */
const readingMs = 8_000;
const readAtOnce = 4;

interface Running extends ImportCounts {
  readonly mailboxId: string;
  readonly address: string;
}

/** A step that is asked for again waits for the one before it. */
const lockRunning = statement<Running>(
  'imports.lock_one',
  `SELECT i.imported, i.duplicates, i.unparsed, m.id AS "mailboxId", m.address
   FROM imports i JOIN mailboxes m ON m.tenant_id = i.tenant_id AND m.id = i.mailbox_id
   WHERE i.tenant_id = $1 AND i.id = $2 AND i.state = 'running' FOR NO KEY UPDATE OF i`,
);

const note = statement<object>(
  'imports.note',
  `UPDATE imports SET imported = $3, duplicates = $4, unparsed = $5,
     bytes_read = greatest(bytes_read, $6), progressed_at = $7 WHERE tenant_id = $1 AND id = $2`,
);

/** Takes the messages of an import, each once: what it has counted is in the commit that kept them. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly parser: MessageParser,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws Problem IMPORT_NOT_FOUND */
  async take({ tenantId, caller }: Reading, input: ImportMessages): Promise<ImportProgress> {
    const messages = await this.read(input.messages);
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    return this.work.run(origin, null, async (changing) => {
      const [running] = await changing.rows(lockRunning, [input.id]);
      if (!running) throw new Problem('IMPORT_NOT_FOUND');
      const { mailboxId, address, ...counts } = running;
      // Imported mail is no news: no event tells of it.
      const recipient = { tenantId, mailboxId, address, automation: false };
      // What an answer that was lost had told of is not done again.
      const done = total(counts) - input.first;
      if (done < 0) throw new Error(`messages of import ${input.id} are missing`);
      for (const message of messages.slice(done)) {
        counts[await importMessage(changing, recipient, message)] += 1;
      }
      const { imported, duplicates, unparsed } = counts;
      const { id, bytesRead } = input;
      await changing.rows(note, [id, imported, duplicates, unparsed, bytesRead, changing.at]);
      return { value: { ...counts, done: total(counts) } };
    });
  }

  /** As many as there is time for, at least one; no connection is held meanwhile. */
  private async read(messages: readonly string[]): Promise<Imported[]> {
    const untilMs = performance.now() + readingMs;
    const read: Imported[] = [];
    while (read.length < messages.length && performance.now() < untilMs) {
      const next = messages.slice(read.length, read.length + readAtOnce);
      read.push(...(await Promise.all(next.map((text) => this.readOne(text)))));
    }
    return read;
  }

  private async readOne(text: string): Promise<Imported> {
    if (text === '-') return null;
    const raw = Buffer.from(text, 'base64');
    return { raw, parsed: await this.parser.parse(raw) };
  }
}

const total = ({ imported, duplicates, unparsed }: ImportCounts): number =>
  imported + duplicates + unparsed;
