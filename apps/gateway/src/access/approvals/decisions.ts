import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { actorOf, type MemberCaller } from '@postroom/access';
import { withTimeout } from '@postroom/concurrency';
import {
  openApprovalStates,
  Problem,
  type ApprovalRequest,
  type DecideApprovals,
  type DecidedApproval,
} from '@postroom/contracts';
import { asProblem, logToken, UnitOfWork, type Changing, type Reading } from '@postroom/operations';
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
import { shownDifference, zoneOfWorkspace } from './filed-facts.js';
import { approvalView, operationOf } from './approval.view.js';
import { ChangedWrites, type ChangedWrite } from './changed-writes.js';
import { Closing, tellApproval } from './closing.js';
import { Execution } from './execution.js';
import { Receipts } from './receipts.js';

/** An approval is waited for so long before it is answered as `executing` (`decisions.md` §6). */
const waitMs = 5_000;
const lookEveryMs = 100;
/** So many of several decisions are made at a time. */
const atOnce = 5;

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
  /** The write as the member has changed it. */
  readonly payload?: object | undefined;
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
    private readonly changes: ChangedWrites,
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
  async decide(
    context: Reading,
    id: string,
    decision: MemberDecision,
    waitsMs = waitMs,
  ): Promise<ApprovalRow> {
    const member = approver(context);
    const found = await this.find(context, id);
    const { payload } = decision;
    if (payload !== undefined && found.state !== 'pending') throw closed(found);
    const asked = { caller: member, requestId: context.requestId };
    const changed = payload && (await this.changes.judged(found, payload, asked));
    const decided = await this.decided(context, member, found, { ...decision, changed });
    if (decided.state !== decision.state) throw closed(decided);
    this.metrics.decided(decided.state, secondsToDecide(decided));
    if (decided.state === 'rejected') return decided;
    const execution = this.execution.execute(decided).catch((err: unknown) => {
      this.log.error(
        { err, approval: id },
        'execution of an approval failed, the sweep will retry',
      );
      return null;
    });
    return this.ended(context, decided, execution, waitsMs);
  }

  /** Decides about several, a few at a time; what is approved is carried out after the answer. */
  async decideAll(
    context: Reading,
    { ids, decision, comment }: DecideApprovals,
  ): Promise<DecidedApproval[]> {
    approver(context);
    const state = decision === 'approve' ? 'approved' : 'rejected';
    const decided = { state, comment: comment ?? null } as const;
    const items: DecidedApproval[] = [];
    for (let at = 0; at < ids.length; at += atOnce) {
      const some = ids.slice(at, at + atOnce).map(async (id): Promise<DecidedApproval> => {
        try {
          const row = await this.decide(context, id, decided, 0);
          return { id, state: row.state, code: null };
        } catch (error) {
          return refusedItem(id, asProblem(error));
        }
      });
      items.push(...(await Promise.all(some)));
    }
    return items;
  }

  private async decided(
    context: Reading,
    member: MemberCaller,
    { id }: ApprovalRow,
    decision: JudgedDecision,
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
    { state, comment, changed }: JudgedDecision,
  ): Promise<ApprovalRow> {
    const { rows, at } = changing;
    const by = [before.id, memberId, email, at, comment];
    const [[row]] = await Promise.all([
      state === 'approved'
        ? rows(approveApproval, [...by, ...(await changeOf(changing, before, changed))])
        : rows(rejectApproval, by),
      rows(countDecision, [at, `approvals.${state}`]),
    ]);
    if (!row) throw new Error(`approval ${before.id} vanished under its lock`);
    if (state === 'approved') {
      tellApproval(changing, row);
      return row;
    }
    return (await this.closing.closeWithin(changing, row, { state })) ?? row;
  }

  /** The approval once its write has ended, in any process, or as it is after some seconds. */
  private async ended(
    { rows }: Reading,
    decided: ApprovalRow,
    execution: Promise<ApprovalRow | null>,
    waitsMs: number,
  ): Promise<ApprovalRow> {
    const untilMs = performance.now() + waitsMs;
    const executed = waitsMs > 0 ? await withTimeout(execution, waitsMs, () => null) : null;
    if (executed) return executed;
    const now = async () => (await rows(findApproval, [decided.id]))[0] ?? decided;
    let row = await now();
    while (openApprovalStates.includes(row.state) && performance.now() < untilMs) {
      await sleep(lookEveryMs);
      row = await now();
    }
    return row.state === 'approved' ? { ...row, state: 'executing' } : row;
  }
}

/** A decision, and what was found of the write as the member has changed it. */
type JudgedDecision = MemberDecision & { readonly changed?: ChangedWrite | undefined };

/** The payload that is approved, its hash and what it would do; nulls where it was not changed. */
async function changeOf(
  { rows }: Changing,
  before: ApprovalRow,
  changed: ChangedWrite | undefined,
): Promise<readonly (string | null)[]> {
  if (!changed) return [null, null, null];
  const timeZone = await zoneOfWorkspace(rows);
  const operation = operationOf(before);
  const input = JSON.parse(changed.payload) as object;
  const difference = shownDifference({ operation, input }, changed.preview, timeZone);
  return [changed.payload, changed.payloadHash, JSON.stringify(difference)];
}

function refusedItem(id: string, { code, fields }: Problem): DecidedApproval {
  const { approval } = fields as { readonly approval?: ApprovalRequest };
  return { id, state: approval?.state ?? null, code };
}

const secondsToDecide = ({ createdAt, decidedAt }: ApprovalRow): number =>
  (Date.parse(decidedAt ?? createdAt) - Date.parse(createdAt)) / 1000;

function approver({ caller }: Reading): MemberCaller {
  if (caller.type !== 'member' || !caller.canApprove) throw new Problem('APPROVER_REQUIRED');
  return caller;
}

const closed = (row: ApprovalRow): Problem =>
  new Problem('APPROVAL_CLOSED', { fields: { approval: approvalView(row) } });
