import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import { Problem } from '@postroom/contracts';
import type { AlreadyAnswered } from './unit-of-work.js';

/** Headers of an answer. */
export type Headers = Record<string, string>;

/** A reply that does not refuse. */
export const reply = (
  request: RequestEnvelope,
  status: number,
  headers: Readonly<Headers>,
  body: string | Buffer,
): ReplyEnvelope => ({
  id: request.id,
  status,
  headers,
  problem: null,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

/** A refusal as it travels: its code, and what else its problem is made of. */
export const refusal = (request: RequestEnvelope, problem: Problem): ReplyEnvelope => {
  const { code, status, headers, violations, fields } = problem;
  const says = Object.keys(fields).length > 0;
  const body = JSON.stringify({ violations, ...(says && { fields }) });
  return { ...reply(request, status, headers, body), problem: code };
};

/**
 * Answers with the recorded reply; a redelivered message is not told that it is a repeat. A preview
 * always gets the header, which marks the answer as that of a write already done.
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
