import { UnverifiedRecord, type ReplyEnvelope, type RequestEnvelope } from '@postroom/bus';
import { Problem } from '@postroom/contracts';
import type { Log } from '@postroom/service';
import { type Headers, reply } from './call.js';
import { asProblem } from './faults.js';
import type { AlreadyAnswered } from './unit-of-work.js';

/**
 * The reply to a request that failed. A fault is INTERNAL, and logged.
 * @throws UnverifiedRecord when that is the error
 */
export function refusalOf(
  request: RequestEnvelope,
  error: unknown,
  log: Pick<Log, 'error' | 'warn'>,
): ReplyEnvelope {
  const problem = asProblem(error);
  const { operation, requestId } = request;
  if (problem.code === 'INTERNAL') {
    log.error({ err: error, operation, requestId }, 'operation failed');
  } else if (problem.code === 'SERVICE_UNAVAILABLE' && problem.cause !== undefined) {
    const facts = { err: problem.cause, operation, requestId };
    log.warn(facts, 'operation failed: a resource is unavailable');
  }
  if (error instanceof UnverifiedRecord) throw error;
  return refusal(request, problem);
}

/** A refusal as a reply: the code of the problem, and its details in the body. */
const refusal = (request: RequestEnvelope, problem: Problem): ReplyEnvelope => {
  const { code, status, headers, violations, fields } = problem;
  const says = Object.keys(fields).length > 0;
  const body = JSON.stringify({ violations, ...(says && { fields }) });
  return { ...reply(request, status, headers, body), problem: code };
};

/**
 * The recorded reply of a repeat. A redelivered message gets no header that says so; a preview always gets
 * it, since the write has been done already.
 */
export function recordedReply(
  request: RequestEnvelope,
  { recorded, claim }: AlreadyAnswered,
): ReplyEnvelope {
  const { status, body } = recorded;
  if (recorded.fingerprint !== claim.fingerprint) {
    return refusal(request, new Problem('IDEMPOTENCY_KEY_REUSED', { headers: keyReused }));
  }
  // The answer contained a secret, of which no copy is kept.
  if (body === null) return refusal(request, new Problem('DUPLICATE_IN_PROGRESS'));
  const redelivered = recorded.message_id === request.id && !request.preview;
  const headers: Headers = redelivered ? {} : { 'x-svc-idempotency': 'hit' };
  return reply(request, status, headers, body);
}

const keyReused = { 'x-svc-idempotency': 'key-reused' };
