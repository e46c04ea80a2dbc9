import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { actorOf } from '@postroom/access';
import { startRounds } from '@postroom/concurrency';
import { draftSends, newId, type SendDraft } from '@postroom/contracts';
import { logToken, onClock, UnitOfWork, type Sending } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { requireSharedMailbox } from '../mailboxes/index.js';
import { duplicateProblem, Sender } from '../sends/index.js';
import { DraftMessages, keyOfDraft } from './draft-message.js';
import { readBegun, recordSetback, type BegunDraft, type OwnDraft } from './scheduled-drafts.js';
import { SendPermissions } from './send-permissions.js';

const everyMs = 500;
/** Drafts that one process sends at a time, and those of a workspace. */
const underWayMax = 16;
const workspaceMax = 4;

const takeDue = statement<OwnDraft>(
  'draft_sends.take_due',
  'SELECT tenant_id AS "tenantId", id, token FROM take_due_drafts($1, $2)',
);

/**
 * Sends the drafts whose time has come, and finishes what a process that died had begun. A draft is taken for a
 * while; that it leaves once is its reservation's doing.
 */
@Injectable()
export class DueDrafts implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: () => Promise<void> = () => Promise.resolve();
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly sender: Sender,
    private readonly messages: DraftMessages,
    private readonly permissions: SendPermissions,
    @Inject(logToken) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = startRounds(() => this.round(), {
      everyMs,
      on: (wake) => onClock(this.database, wake),
      onFailure: (err) => this.log.warn({ err }, 'drafts: looking for due ones failed, retrying'),
    });
  }

  /** Takes no more; what is under way ends with the attempts of its sends. */
  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await Promise.all(this.underWay.keys());
  }

  private async round(): Promise<void> {
    const free = underWayMax - this.underWay.size;
    if (free <= 0) return;
    const due = await this.database.rows(takeDue, [free, this.busy()]);
    for (const draft of due) {
      const sending = this.send(draft)
        .catch((err: unknown) => this.log.warn({ err }, 'drafts: one is looked after again later'))
        .finally(() => this.underWay.delete(sending));
      this.underWay.set(sending, draft.tenantId);
    }
  }

  private busy(): string[] {
    const byWorkspace = Map.groupBy(this.underWay.values(), (tenantId) => tenantId);
    return [...byWorkspace].filter(([, all]) => all.length >= workspaceMax).map(([id]) => id);
  }

  private async send(own: OwnDraft): Promise<void> {
    const begun = await readBegun(this.work, own);
    if (!begun) return;
    try {
      await this.attempt(begun);
    } catch (error) {
      await recordSetback(this.work, own, begun, error);
    }
  }

  private async attempt(begun: BegunDraft): Promise<void> {
    const { draft, by, tenantId, warning, openSend } = begun;
    const requestId = newId('req');
    // It may have left: whatever is refused now, that is not known before evidence comes.
    if (openSend) throw duplicateProblem(!openSend.isLive);
    const caller = await this.permissions.callerOf(tenantId, by, requestId);
    const context: Sending = {
      ...{ caller, tenantId, requestId, messageId: requestId, operation: draftSends.send.id },
      ...{
        idempotencyKey: keyOfDraft(draft.id),
        deadlineMs: Date.now() + draftSends.send.deadlineMs,
      },
      rows: (query, values) => this.database.rows(query, [tenantId, ...values], tenantId),
      entities: (read) =>
        this.work.change(
          { tenantId, actor: actorOf(caller), source: caller.source },
          null,
          async ({ manager }) => ({ value: await read(manager) }),
        ),
      header: () => undefined,
    };
    const asked: Pick<SendDraft, 'mailbox'> = { mailbox: draft.mailbox };
    await requireSharedMailbox(context, draftSends.send, asked);
    await this.sender.send(context, await this.messages.messageOf(context, draft, warning));
  }
}
