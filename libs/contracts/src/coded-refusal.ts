import { errorCodes, type ErrorCodes } from './error-codes.js';
import type { Operation } from './operation.js';
import { problemFacts, type Problem, type ProblemCode } from './problems.js';

/** Refusals of steps 1 to 3, 5 to 8 and 10 to 13, which are texts in every family (`decisions.md` §2). */
const alwaysTexts: ReadonlySet<ProblemCode> = new Set([
  'AUTHORIZATIONS_UNAVAILABLE',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'SCOPE_MISSING',
  'MEMBER_IDENTITY_INCOMPLETE',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_MALFORMED',
  'MAILBOX_FORBIDDEN',
  'MAILBOX_READ_ONLY',
  'IDEMPOTENCY_KEY_REUSED',
  'DUPLICATE_IN_PROGRESS',
  'APPROVALS_UNAVAILABLE',
  'APPROVAL_CLOSED',
  'TOO_MANY_APPROVALS',
  'SERVICE_UNAVAILABLE',
]);

/** The codes that an operation of such a family may answer; none for one of another family. */
export const codesOf = ({ codes, problems }: Operation): readonly ProblemCode[] => {
  if (codes === null) return [];
  const { own, invalid, fallback }: ErrorCodes = errorCodes[codes];
  return [...new Set([...problems.filter((code) => own.includes(code)), invalid, fallback])];
};

/** A refusal as a stable code of its family. */
export interface CodedRefusal {
  readonly error: ProblemCode;
  /** A more precise one, where the family has none. */
  readonly code?: ProblemCode;
}

/** How an operation's family says a refusal by code; null where it is answered as a text. */
export function codedRefusal(
  { codes, problems }: Pick<Operation, 'codes' | 'problems'>,
  { code, violations }: Problem,
): CodedRefusal | null {
  if (codes === null || alwaysTexts.has(code)) return null;
  const { own, invalid, fallback }: ErrorCodes = errorCodes[codes];
  if (own.includes(code)) return { error: code };
  // Of an unusable request, whatever is wrong with it: a field, or a page token of another query.
  if (problemFacts(code).status === 400) {
    const given = new Set(violations.map((violation) => violation.code));
    return { error: own.find((one) => given.has(one)) ?? invalid };
  }
  // An operation that is hidden from the caller answers as if its resource did not exist.
  if (code === 'ROUTE_NOT_FOUND') {
    return { error: problems.find((one) => problemFacts(one).status === 404) ?? fallback };
  }
  return code === 'INTERNAL' ? { error: fallback } : { error: fallback, code };
}
