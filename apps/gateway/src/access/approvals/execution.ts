import { Injectable } from '@nestjs/common';
import { checksBeforeBody, requireMailbox, type KeyCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { Problem, systemActor, type Operation, type ProblemCode } from '@postroom/contracts';
import { asProblem, fingerprint, UnitOfWork } from '@postroom/operations';
import { renderProblem } from '../../problems.js';
import { KeyAuthentication } from '../authentication/key-authentication.js';
import { ServiceCalls } from '../invocation/service-calls.js';
import type { RecordedProblem } from './filed-replies.js';
import { leaseApproval, releaseApproval, type ApprovalRow } from './approval-rows.js';
import { operationOf } from './approval.view.js';
import { Closing, type Ending } from './closing.js';

/** The input that is executed: as it was asked for, or as a member has changed it. */
const executedInput = ({ payload, approvedPayload }: ApprovalRow): object =>
  JSON.parse(approvedPayload ?? payload) as object;

/** Outages, after which it is not known whether a write was done. */
const passing: ReadonlySet<ProblemCode> = new Set([
  'SERVICE_UNAVAILABLE',
  'AUTHORIZATIONS_UNAVAILABLE',
  'DUPLICATE_IN_PROGRESS',
]);

const isPassing = ({ code }: Problem): boolean => passing.has(code);

/** The end of a write that was done. */
const endingOfReply = ({ status, headers, body }: ReplyEnvelope): Ending => ({
  state: 'executed',
  status,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'x-svc-idempotency'),
  ),
  body: body.toString(),
});

/** The end of a write that was refused when it was to be done. */
function endingOfRefusal(problem: Problem, operation: Operation, row: ApprovalRow): Ending {
  const { code, violations, fields } = problem;
  const { status, body } = renderProblem(problem, operation, {
    requestId: row.requestId,
  });
  const recorded: RecordedProblem = { code, violations, fields };
  return {
    state: hasChanged(problem) ? 'refused' : 'failed',
    status,
    body: JSON.stringify(body),
    problem: JSON.stringify(recorded),
  };
}

/**
 * True if the world has changed since the write was filed, when it would have been done: the rights of the
 * key, the resource, the time.
 */
const hasChanged = ({ code, status }: Problem): boolean =>
  status === 403 || status === 404 || code === 'VERSION_CONFLICT' || code === 'INVALID_REQUEST';

/** Times that an internal error of the write is tried again. */
const internalErrorsMax = 5;
const backOffSecondsMax = 60;

/**
 * Executes approved writes, each exactly once: an approval is leased for its execution, the service
 * recognises a write that it has done by the approval's id, and a crash at any step is made good by the
 * sweep, which begins here anew.
 */
@Injectable()
export class Execution {
  constructor(
    private readonly work: UnitOfWork,
    private readonly keys: KeyAuthentication,
    private readonly calls: ServiceCalls,
    private readonly closing: Closing,
  ) {}

  /** Executes one that was not when it was approved, unless another gateway does. */
  async takeAndExecute(tenantId: string, id: string): Promise<void> {
    const row = await this.take(tenantId, id);
    if (row) await this.execute(row);
  }

  /**
   * Executes one that the caller has taken; it is closed then, or retried later.
   * @returns the closed one; null for one that is not closed, or that another process has closed
   */
  async execute(row: ApprovalRow): Promise<ApprovalRow | null> {
    try {
      return await this.closing.close(row, await this.endingOf(row));
    } catch (error) {
      const problem = asProblem(error);
      if (!isPassing(problem) && !this.isTransient(problem, row)) throw error;
      await this.release(row);
      return null;
    }
  }

  private take(tenantId: string, id: string): Promise<ApprovalRow | undefined> {
    return this.work.change(originOf(tenantId), null, async ({ rows }) => ({
      value: (await rows(leaseApproval, [id]))[0],
    }));
  }

  private async release({ tenantId, id, attempts }: ApprovalRow): Promise<void> {
    const seconds = Math.min(2 ** Math.min(attempts, 10), backOffSecondsMax);
    await this.work.change(originOf(tenantId), null, async ({ rows }) => ({
      value: await rows(releaseApproval, [id, seconds]),
    }));
  }

  /** @throws Problem of an outage: whether the write was done is not known */
  private async endingOf(row: ApprovalRow): Promise<Ending> {
    const key = await this.keys.known(row.keyId);
    if (!key) return { state: 'cancelled' };
    const caller = callerOf(row, key.caller);
    if (row.attempts > 1) {
      const done = await this.doneBefore(row, caller);
      if (done) return done;
    }
    if (!key.alive) return { state: 'cancelled' };
    return this.write(row, { ...key, caller });
  }

  /** The answer of an earlier attempt that was lost; null when it was not done. */
  private async doneBefore(row: ApprovalRow, caller: KeyCaller): Promise<Ending | null> {
    try {
      const reply = await this.call(row, caller, { preview: true });
      return reply.headers['x-svc-idempotency'] === undefined ? null : endingOfReply(reply);
    } catch (error) {
      const problem = asProblem(error);
      // A refusal is one of the preview, made after it was found that there is no answer to repeat.
      if (isPassing(problem)) throw problem;
      return null;
    }
  }

  private async write(
    row: ApprovalRow,
    { caller, sendOpen }: { readonly caller: KeyCaller; readonly sendOpen: boolean },
  ): Promise<Ending> {
    const operation = operationOf(row);
    const { idempotencyKey } = row;
    const input = executedInput(row);
    try {
      for (const check of checksBeforeBody) check({ operation, caller, idempotencyKey, sendOpen });
      if ('mailbox' in input) requireMailbox(operation, caller, String(input.mailbox));
      return endingOfReply(await this.call(row, caller, { preview: false }));
    } catch (error) {
      const problem = asProblem(error);
      if (isPassing(problem) || this.isTransient(problem, row)) throw problem;
      return endingOfRefusal(problem, operation, row);
    }
  }

  private call(
    row: ApprovalRow,
    caller: KeyCaller,
    { preview }: { readonly preview: boolean },
  ): Promise<ReplyEnvelope> {
    const { idempotencyKey, requestId } = row;
    const input = executedInput(row);
    const operation = operationOf(row);
    return this.calls.make({ operation, caller, input, idempotencyKey, requestId, preview });
  }

  private isTransient({ code }: Problem, { attempts }: ApprovalRow): boolean {
    return code === 'INTERNAL' && attempts < internalErrorsMax;
  }
}

const originOf = (tenantId: string) =>
  ({ tenantId, actor: systemActor, source: 'automation' }) as const;

/** The agent as its key is now, by the way that it asked, with the decision that allows this write. */
function callerOf(row: ApprovalRow, caller: KeyCaller): KeyCaller {
  const { method } = operationOf(row);
  const isVersioned = method === 'PATCH' || method === 'DELETE';
  return {
    ...caller,
    source: row.channel === 'mcp' ? 'mcp' : 'api',
    decision: {
      approvalId: row.id,
      memberId: row.decidedById ?? '',
      version: isVersioned ? row.targetVersion : null,
      ...(row.approvedPayload !== null && {
        fingerprint: fingerprint(row.operation, JSON.parse(row.payload) as object),
      }),
    },
  };
}
