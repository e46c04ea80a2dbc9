import { Injectable } from '@nestjs/common';
import { systemActor, type ApprovalState } from '@postroom/contracts';
import { UnitOfWork, workspaceNow, type Changing, type Reading } from '@postroom/operations';
import { tellMembers } from '../stream-log.js';
import { closeApproval, findApproval, signApproval, type ApprovalRow } from './approval-rows.js';
import { Receipts } from './receipts.js';

/** The end of an approval, and the answer to its write. */
export interface Ending {
  readonly state: ApprovalState;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: string | undefined;
  /** JSON of the refusal, to be told again. */
  readonly problem?: string | undefined;
}

/** Actions of the audit by how an approval ended by itself; decisions and writes have records of their own. */
const auditActions: Partial<Readonly<Record<ApprovalState, string>>> = {
  failed: 'approvals.fail',
  expired: 'approvals.expire',
  cancelled: 'approvals.cancel',
  refused: 'approvals.refuse',
};

function auditOf({ state, id: subjectId, requestId }: ApprovalRow) {
  const action = auditActions[state];
  return action === undefined ? {} : { audit: { action, subjectId, requestId } };
}

type Rows = Pick<Changing, 'rows' | 'at' | 'last'>;

/** Closes approvals, each once and with its receipt. */
@Injectable()
export class Closing {
  constructor(
    private readonly work: UnitOfWork,
    private readonly receipts: Receipts,
  ) {}

  /** Closes one by itself; null when it has left the state that it is in meanwhile. */
  async close(before: ApprovalRow, ending: Ending): Promise<ApprovalRow | null> {
    const { tenantId } = before;
    const origin = { tenantId, actor: systemActor, source: 'automation' } as const;
    await this.receipts.ready();
    return this.work.change(origin, null, async (changing) => {
      const row = await this.closeWithin(changing, before, ending);
      return { value: row, ...(row && auditOf(row)) };
    });
  }

  /** The same in the transaction of a decision, before which {@link Receipts.ready} was called. */
  async closeWithin(
    changing: Rows,
    before: ApprovalRow,
    { state, status, headers, body, problem }: Ending,
  ): Promise<ApprovalRow | null> {
    const receipt = await this.receipts.sign({ ...before, state, resultStatus: status ?? null });
    const result = [status, headers && JSON.stringify(headers), body, problem];
    const values = [before.id, before.state, state, changing.at, ...result, receipt];
    const [closed] = await changing.rows(closeApproval, values);
    if (!closed) return null;
    tellApproval(changing, closed);
    return closed;
  }

  /**
   * The approval as it is now. One that is over, because it expired or its key was revoked, is closed with its
   * receipt before it is shown, in case the sweep has not closed it yet.
   */
  async settled({ rows }: Pick<Reading, 'rows'>, row: ApprovalRow): Promise<ApprovalRow> {
    const isOver =
      row.state === 'pending' &&
      Date.parse(row.expiresAt) <= (await workspaceNow({ ...row, rows })).getTime();
    if (isOver) await this.close(row, { state: 'expired' });
    else if (row.closedAt !== null && row.receipt === null) await this.sign(row);
    else return row;
    return (await rows(findApproval, [row.id]))[0] ?? row;
  }

  /** Signs and audits one that was closed without a receipt: its key was revoked. */
  async sign(row: ApprovalRow): Promise<void> {
    const origin = { tenantId: row.tenantId, actor: systemActor, source: 'automation' } as const;
    const receipt = await this.receipts.sign(row);
    await this.work.change(origin, null, async (changing) => {
      const [signed] = await changing.rows(signApproval, [row.id, receipt]);
      if (!signed) return { value: undefined };
      tellApproval(changing, signed);
      return { value: undefined, ...auditOf(signed) };
    });
  }
}

/** Publishes to the members who may read an approval that it was filed, decided or closed, by its state. */
export function tellApproval(
  changing: Pick<Changing, 'rows' | 'last'>,
  { withinType: type, withinId: id, ...row }: ApprovalRow,
): void {
  const { state, operation, summary, keyId, keyName, decidedBy } = row;
  tellMembers(changing, {
    type: `approval.${state === 'pending' ? 'filed' : state}`,
    within: type === null || id === null ? null : { type, id },
    data: {
      approval: {
        ...{ id: row.id, state, operation, summary },
        requestedBy: { keyId, name: keyName },
        decidedBy,
      },
    },
  });
}
