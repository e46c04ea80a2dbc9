import type { KeyCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  openApprovalStates,
  Problem,
  type ApprovalFiled,
  type ProblemCode,
  type Violation,
} from '@postroom/contracts';
import type { ApprovalRow } from './approval-rows.js';
import { filedView } from './approval.view.js';

/** A refusal as it is kept: what its problem was made of. */
export interface RecordedProblem {
  readonly code: ProblemCode;
  readonly violations: readonly Violation[];
  readonly fields: Readonly<Record<string, unknown>>;
}

const hit = { 'x-svc-idempotency': 'hit' };

/** The answer to a write that waits: 202. */
export function filedReply(
  row: ApprovalRow,
  caller: KeyCaller,
  headers: Readonly<Record<string, string>> = {},
): ReplyEnvelope {
  const answer: ApprovalFiled = { approvalRequired: true, approval: filedView(row, caller) };
  const body = Buffer.from(JSON.stringify(answer));
  return { id: row.id, status: 202, headers, problem: null, body };
}

/**
 * The answer to a repeated Idempotency-Key (`decisions.md` §6): the approval while it is open, what its write
 * was answered when it was done.
 *
 * @throws Problem the refusal of the write; APPROVAL_CLOSED when it was never done; IDEMPOTENCY_KEY_REUSED
 * for another payload
 */
export function repeatedReply(
  row: ApprovalRow,
  caller: KeyCaller,
  payloadHash: string,
): ReplyEnvelope {
  if (row.payloadHash !== payloadHash) {
    const headers = { 'x-svc-idempotency': 'key-reused' };
    throw new Problem('IDEMPOTENCY_KEY_REUSED', { headers });
  }
  if (openApprovalStates.includes(row.state)) return filedReply(row, caller, hit);
  if (row.state === 'executed') return recordedReply(row);
  if (row.state === 'failed' && row.resultProblem !== null) {
    const { code, ...detail } = JSON.parse(row.resultProblem) as RecordedProblem;
    throw new Problem(code, detail);
  }
  throw new Problem('APPROVAL_CLOSED', { fields: { approval: filedView(row, caller) } });
}

function recordedReply({
  id,
  resultStatus,
  resultHeaders,
  resultBody,
}: ApprovalRow): ReplyEnvelope {
  const headers = JSON.parse(resultHeaders ?? '{}') as Record<string, string>;
  const body = Buffer.from(resultBody ?? '{}');
  return { id, status: resultStatus ?? 200, headers: { ...headers, ...hit }, problem: null, body };
}
