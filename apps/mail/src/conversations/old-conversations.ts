import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { startRounds } from '@postroom/concurrency';
import { systemActor } from '@postroom/contracts';
import { logToken, UnitOfWork } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';

interface Old {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly ids: readonly string[];
}

const findOld = statement<Old>(
  'conversations.find_old',
  'SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId", ids FROM old_conversations($1)',
);

const deleteOld = statement<{ deleted: number }>(
  'conversations.delete_old',
  'SELECT delete_old_conversations($1, $2, $3) AS deleted',
);

/** Conversations that are deleted in one commit. */
const batchSize = 50;

/** Deletes, every minute, conversations whose last message is older than their mailbox keeps (`retentionDays`). */
@Injectable()
export class OldConversations implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = startRounds((stopping) => this.round(stopping), {
      everyMs: 60_000,
      onFailure: (err) => {
        this.log.warn({ err }, 'deleting old conversations failed, retrying');
      },
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Those of all mailboxes, a batch of each in turn; each batch is a record of the audit, with their number. */
  async round(stopping?: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !stopping?.aborted;) {
      isMore = false;
      for (const old of await this.database.rows(findOld, [batchSize])) {
        const deleted = await this.deleteBatch(old);
        isMore ||= deleted === batchSize;
      }
    }
  }

  private deleteBatch({ tenantId, mailboxId, ids }: Old): Promise<number> {
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    return this.work.change(origin, null, async ({ rows }) => {
      const [found] = await rows(deleteOld, [mailboxId, ids]);
      const value = found?.deleted ?? 0;
      const subjectId = `${mailboxId} ${value}`;
      return { value, audit: { action: 'retention.purge', subjectId, requestId: null } };
    });
  }
}
