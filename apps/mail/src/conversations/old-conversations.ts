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

interface MailboxWithOld {
  readonly tenantId: string;
  readonly mailboxId: string;
}

const findMailboxes = statement<MailboxWithOld>(
  'conversations.mailboxes_with_old',
  'SELECT tenant_id AS "tenantId", mailbox_id AS "mailboxId" FROM mailboxes_with_old()',
);

const deleteOld = statement<{ deleted: number; isMore: boolean }>(
  'conversations.delete_old',
  'SELECT deleted, is_more AS "isMore" FROM delete_old_conversations($1, $2, $3)',
);

/** Conversations that are deleted in one commit, at most. */
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
      for (const mailbox of await this.database.rows(findMailboxes, []))
        isMore = (await this.deleteBatch(mailbox)) || isMore;
    }
  }

  private deleteBatch({ tenantId, mailboxId }: MailboxWithOld): Promise<boolean> {
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    return this.work.change(origin, null, async ({ rows }) => {
      const [{ deleted, isMore } = { deleted: 0, isMore: false }] = await rows(deleteOld, [
        mailboxId,
        batchSize,
      ]);
      const subjectId = `${mailboxId} ${deleted}`;
      const audit = { action: 'retention.purge', subjectId, requestId: null };
      return { value: isMore, ...(deleted > 0 && { audit }) };
    });
  }
}
