import type { ReplyEnvelope } from '@postroom/bus';
import type { Operation, Problem, ProblemCode } from '@postroom/contracts';
import { renderProblem } from '../problems/index.js';
import type { ApprovalRow } from './approval-rows.js';
import type { Ending } from './closing.js';
import type { RecordedProblem } from './filed-answers.js';

/** Outages, after which nobody knows whether a write was done. */
const passing: ReadonlySet<ProblemCode> = new Set([
  'SERVICE_UNAVAILABLE',
  'AUTHORIZATIONS_UNAVAILABLE',
  'DUPLICATE_IN_PROGRESS',
]);

export const isPassing = ({ code }: Problem): boolean => passing.has(code);

/** The end of a write that was done. */
export const endingOfReply = ({ status, headers, body }: ReplyEnvelope): Ending => ({
  state: 'executed',
  status,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'x-svc-idempotency'),
  ),
  body: body.toString(),
});

/** The end of a write that was refused when it was to be done. */
export function endingOfRefusal(problem: Problem, operation: Operation, row: ApprovalRow): Ending {
  const { code, violations, fields } = problem;
  const { status, body } = renderProblem(problem, operation, row.requestId);
  const recorded: RecordedProblem = { code, violations, fields };
  return {
    state: hasChanged(problem) ? 'refused' : 'failed',
    status,
    body: JSON.stringify(body),
    problem: JSON.stringify(recorded),
  };
}

/**
 * Whether the world has changed since the write was filed, when it would have been done: the rights of the
 * key, the resource, the time.
 */
const hasChanged = ({ code, status }: Problem): boolean =>
  status === 403 || status === 404 || code === 'VERSION_CONFLICT' || code === 'INVALID_REQUEST';
