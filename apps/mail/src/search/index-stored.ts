import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { systemActor } from '@postroom/contracts';
import { type Changing, logToken, UnitOfWork } from '@postroom/operations';
import { Database, instant, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { searchDocument, textMax, type SearchedMessage } from './search-document.js';

/** Messages in one transaction: few, so that the text of all of them is small. */
const batch = 50;
const everyMs = 60_000;

const tenants = statement<{ tenantId: string }>(
  'search.tenants_to_index',
  'SELECT tenant_id AS "tenantId" FROM tenants_to_index() AS tenant_id',
);

interface Stored extends SearchedMessage {
  readonly id: string;
  readonly mailboxId: string;
  readonly conversationId: string;
  readonly receivedAt: string;
}

const take = statement<Stored>(
  'search.take_messages',
  `SELECT m.id, m.mailbox_id AS "mailboxId", m.conversation_id AS "conversationId",
     ${instant('m.received_at')} AS "receivedAt", m.subject,
     m.sender AS "from", m.recipients AS "to", m.cc, left(m.text, ${textMax}) AS text,
     EXISTS (SELECT FROM attachments a
       WHERE a.tenant_id = m.tenant_id AND a.message = m.id AND NOT a.inline) AS "hasAttachment"
   FROM messages m WHERE m.tenant_id = $1 AND m.searchable IS NULL
   LIMIT ${batch} FOR UPDATE OF m SKIP LOCKED`,
);

const keep = statement<object>(
  'search.keep_documents',
  `WITH found AS (
     SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
       AS f (message, mailbox_id, conversation_id, at, document)
   ), documents AS (
     INSERT INTO search_documents (tenant_id, message, mailbox_id, conversation_id, at, document)
     SELECT $1, f.message, f.mailbox_id, f.conversation_id, f.at, f.document::tsvector FROM found f
     ON CONFLICT (tenant_id, message) DO UPDATE SET document = excluded.document
   )
   UPDATE messages m SET searchable = true FROM found f
   WHERE m.tenant_id = $1 AND m.id = f.message`,
);

/**
 * Makes messages searchable that were stored without it: those of before search existed, and of an
 * instance of an earlier version that still runs. Looks at once and then every minute.
 */
@Injectable()
export class StoredMessages implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private underWay: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    @Inject(logToken) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.round();
    this.timer = setInterval(() => {
      this.round();
    }, everyMs);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.underWay;
  }

  private round(): void {
    this.underWay = this.underWay
      .then(() => indexStored(this.database, this.stopping.signal))
      .catch((err: unknown) => {
        this.log.warn({ err }, 'indexing stored messages failed');
      });
  }
}

/** One round of it: all that is there to be indexed. */
export async function indexStored(database: Database, signal?: AbortSignal): Promise<void> {
  const work = new UnitOfWork(database);
  const actor = systemActor;
  for (const { tenantId } of await database.rows(tenants, [])) {
    for (let count = batch; count === batch && signal?.aborted !== true;) {
      count = await work.run({ tenantId, actor, source: 'automation' }, null, async (changing) => ({
        value: await indexBatch(changing),
      }));
    }
  }
}

async function indexBatch({ rows }: Changing): Promise<number> {
  const stored = await rows(take, []);
  if (stored.length === 0) return 0;
  await rows(keep, [
    stored.map(({ id }) => id),
    stored.map(({ mailboxId }) => mailboxId),
    stored.map(({ conversationId }) => conversationId),
    stored.map(({ receivedAt }) => receivedAt),
    stored.map((message) => searchDocument(message, message)),
  ]);
  return stored.length;
}
