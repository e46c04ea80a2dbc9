import { Injectable } from '@nestjs/common';
import { actorOf, type KeyCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { openApprovalStates, Problem } from '@postroom/contracts';
import { UnitOfWork, type Reading } from '@postroom/operations';
import { findApproval, noteAnswered, type ApprovalRow } from './approval-rows.js';
import { readFault } from './approval.view.js';
import { Closing } from './closing.js';
import { repeatedReply } from './filed-replies.js';
import { Receipts } from './receipts.js';

/** An approval, and the key that filed it and asks. */
interface OwnFiling {
  readonly row: ApprovalRow;
  readonly caller: KeyCaller;
}

/** Writes that a key has filed, as the key itself follows them. */
@Injectable()
export class FiledCalls {
  constructor(
    private readonly work: UnitOfWork,
    private readonly closing: Closing,
    private readonly receipts: Receipts,
  ) {}

  /** @throws Problem APPROVAL_NOT_FOUND of another key's too */
  async find(context: Reading, id: string): Promise<OwnFiling> {
    const { caller, rows } = context;
    const [found] = await rows(findApproval, [id]);
    if (caller.type !== 'key' || found?.keyId !== caller.keyId)
      throw new Problem('APPROVAL_NOT_FOUND');
    return { row: await this.closing.settled(context, found), caller };
  }

  /**
   * The answer to the write of one that has ended, as to a repeat of the call, which counts as told with it; null of
   * one that is open.
   * @throws Problem that the write was refused with; APPROVAL_CLOSED when it was never done; MAILBOX_FORBIDDEN or
   * SCOPE_MISSING for a key that may not read it any more
   */
  async answer({ row, caller }: OwnFiling): Promise<ReplyEnvelope | null> {
    if (openApprovalStates.includes(row.state)) return null;
    const { id, tenantId, answeredAt, payloadHash } = row;
    if (answeredAt === null) {
      const origin = { tenantId, actor: actorOf(caller), source: caller.source };
      await this.work.change(origin, null, async ({ rows, at }) => {
        await rows(noteAnswered, [id, at]);
        return { value: undefined };
      });
    }
    const fault = readFault(row, caller);
    if (fault !== null) throw new Problem(fault);
    return repeatedReply(row, caller, payloadHash);
  }

  /** Cancels one without a decision; the same call is filed anew after that. */
  async withdraw({ row, caller }: OwnFiling, requestId: string): Promise<void> {
    if (row.state !== 'pending') return;
    const { id: subjectId, tenantId } = row;
    const origin = { tenantId, actor: actorOf(caller), source: caller.source };
    await this.receipts.ready();
    await this.work.change(origin, null, async (changing) => {
      const closed = await this.closing.closeWithin(changing, row, { state: 'cancelled' });
      if (!closed) return { value: undefined };
      await changing.rows(noteAnswered, [subjectId, changing.at]);
      return { value: undefined, audit: { action: 'approvals.cancel', subjectId, requestId } };
    });
  }
}
