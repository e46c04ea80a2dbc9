import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { actorOf, type MemberCaller } from '@postroom/access';
import { withTimeout } from '@postroom/concurrency';
import { openApprovalStates, Problem } from '@postroom/contracts';
import { logToken, UnitOfWork, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { Visibility } from '../visibility.js';
import { ApprovalMetrics } from './approval-metrics.js';
import {
  approveApproval,
  findApproval,
  lockApproval,
  rejectApproval,
  type ApprovalRow,
} from './approval-rows.js';
import { approvalView } from './approval.view.js';
import { Closing, tellApproval } from './closing.js';
import { Execution } from './execution.js';
import { Receipts } from './receipts.js';

/** An approval is waited for so long before it is answered as `executing` (`decisions.md` §6). */
const waitMs = 5_000;
const lookEveryMs = 100;

const lockApprover = statement<object>(
  'access.lock_approver',
  `SELECT FROM members WHERE tenant_id = $1 AND id = $2 AND active AND can_approve FOR SHARE`,
);
const countDecision = statement<object>(
  'access.count_decision',
  'INSERT INTO volume_deltas (tenant_id, at, kind) VALUES ($1, $2, $3)',
);

/** The decision of a member. */
export interface MemberDecision {
  readonly state: 'approved' | 'rejected';
  readonly comment: string | null;
}

/** Members' decisions: of several at once one is made, and the others are told which. */
@Injectable()
export class Decisions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly visibility: Visibility,
    private readonly closing: Closing,
    private readonly receipts: Receipts,
    private readonly execution: Execution,
    private readonly metrics: ApprovalMetrics,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** One that the member may read. @throws Problem APPROVAL_NOT_FOUND */
  async find(context: Reading, id: string): Promise<ApprovalRow> {
    const found = await context.rows(findApproval, [id]);
    const [visible] = await this.visibility.visible(context, found);
    if (!visible) throw new Problem('APPROVAL_NOT_FOUND');
    return this.closing.settled(context, visible);
  }

  /** Decides, and waits some seconds for an approved write to be executed. */
  async decide(context: Reading, id: string, decision: MemberDecision): Promise<ApprovalRow> {
    const member = approver(context);
    const found = await this.find(context, id);
    const decided = await this.decided(context, member, found, decision);
    if (decided.state !== decision.state) throw closed(decided);
    this.metrics.decided(decided.state, secondsToDecide(decided));
    if (decided.state === 'rejected') return decided;
    const execution = this.execution.execute(decided).catch((err: unknown) => {
      this.log.error(
        { err, approval: id },
        'execution of an approval failed, the sweep will retry',
      );
    });
    return this.ended(context, decided, execution);
  }

  private async decided(
    context: Reading,
    member: MemberCaller,
    { id }: ApprovalRow,
    decision: MemberDecision,
  ): Promise<ApprovalRow> {
    const { tenantId, requestId } = context;
    const origin = { tenantId, actor: actorOf(member), source: member.source };
    await this.receipts.ready();
    return this.work.change(origin, null, async (changing) => {
      const { rows } = changing;
      const [approvers, [before]] = await Promise.all([
        rows(lockApprover, [member.memberId]),
        rows(lockApproval, [id]),
      ]);
      if (approvers.length === 0) throw new Problem('APPROVER_REQUIRED');
      if (!before) throw new Problem('APPROVAL_NOT_FOUND');
      if (before.state !== 'pending') throw closed(before);
      if (Date.parse(before.expiresAt) <= changing.at.getTime()) {
        const expired = await this.closing.closeWithin(changing, before, { state: 'expired' });
        const audit = { action: 'approvals.expire', subjectId: id, requestId };
        return { value: expired ?? before, audit };
      }
      const row = await this.record(changing, before, member, decision);
      const action = decision.state === 'approved' ? 'approvals.approve' : 'approvals.reject';
      return { value: row, audit: { action, subjectId: id, requestId } };
    });
  }

  private async record(
    changing: Changing,
    before: ApprovalRow,
    { memberId, email }: MemberCaller,
    { state, comment }: MemberDecision,
  ): Promise<ApprovalRow> {
    const { rows, at } = changing;
    const record = state === 'approved' ? approveApproval : rejectApproval;
    const [[row]] = await Promise.all([
      rows(record, [before.id, memberId, email, at, comment]),
      rows(countDecision, [at, `approvals.${state}`]),
    ]);
    if (!row) throw new Error(`approval ${before.id} vanished under its lock`);
    if (state === 'approved') {
      await tellApproval({ rows }, row);
      return row;
    }
    return (await this.closing.closeWithin(changing, row, { state })) ?? row;
  }

  /** The approval once its write has ended, in any process, or as it is after some seconds. */
  private async ended(
    { rows }: Reading,
    decided: ApprovalRow,
    execution: Promise<void>,
  ): Promise<ApprovalRow> {
    const untilMs = performance.now() + waitMs;
    await withTimeout(execution, waitMs, () => undefined);
    const now = async () => (await rows(findApproval, [decided.id]))[0] ?? decided;
    let row = await now();
    while (openApprovalStates.includes(row.state) && performance.now() < untilMs) {
      await sleep(lookEveryMs);
      row = await now();
    }
    return row.state === 'approved' ? { ...row, state: 'executing' } : row;
  }
}

const secondsToDecide = ({ createdAt, decidedAt }: ApprovalRow): number =>
  (Date.parse(decidedAt ?? createdAt) - Date.parse(createdAt)) / 1000;

function approver({ caller }: Reading): MemberCaller {
  if (caller.type !== 'member' || !caller.canApprove) throw new Problem('APPROVER_REQUIRED');
  return caller;
}

const closed = (row: ApprovalRow): Problem =>
  new Problem('APPROVAL_CLOSED', { fields: { approval: approvalView(row) } });
