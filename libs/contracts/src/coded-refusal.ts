import {
  errorCodes,
  type ErrorCodes,
  type Problem,
  type ProblemCode,
  problemFacts,
} from './problems.js';
import type { Operation } from './operation.js';

/** The checks that refuse, as `decisions.md` §9 names them, in the order in which they are made. */
export const refusalRules = [
  'scope',
  'kind',
  'send_switch',
  'member',
  'idempotency_key',
  'input',
  'mailbox',
  'read_only',
  'idempotency',
  'approval',
  'operation',
] as const;

export type RefusalRule = (typeof refusalRules)[number];

const ruleByCode: Partial<Readonly<Record<ProblemCode, RefusalRule>>> = {
  SCOPE_MISSING: 'scope',
  ADMIN_REQUIRED: 'scope',
  AGENT_CANNOT_SEND: 'kind',
  SEND_SWITCH_CLOSED: 'send_switch',
  MEMBER_IDENTITY_INCOMPLETE: 'member',
  IDEMPOTENCY_KEY_REQUIRED: 'idempotency_key',
  IDEMPOTENCY_KEY_MALFORMED: 'idempotency_key',
  INVALID_REQUEST: 'input',
  BODY_TOO_LARGE: 'input',
  ENCODING_UNSUPPORTED: 'input',
  MAILBOX_FORBIDDEN: 'mailbox',
  MAILBOX_READ_ONLY: 'read_only',
  IDEMPOTENCY_KEY_REUSED: 'idempotency',
  IDEMPOTENCY_KEY_UNVERIFIABLE: 'idempotency',
  DUPLICATE_IN_PROGRESS: 'idempotency',
  SEND_DUPLICATE: 'idempotency',
  // An operation that is hidden from agents whose writes wait for approval.
  ROUTE_NOT_FOUND: 'approval',
  APPROVALS_UNAVAILABLE: 'approval',
  APPROVAL_CLOSED: 'approval',
  TOO_MANY_APPROVALS: 'approval',
};

/** The check that refused with a problem: the operation itself, unless the code is one of a check. */
export const ruleOf = (code: ProblemCode): RefusalRule => ruleByCode[code] ?? 'operation';

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

/** The refusal as the operation's family codes it; null where it is answered as a text. */
export function codedRefusal(
  { codes, problems }: Pick<Operation, 'codes' | 'problems'>,
  { code, violations }: Problem,
): CodedRefusal | null {
  if (codes === null || alwaysTexts.has(code)) return null;
  const { own, invalid, fallback }: ErrorCodes = errorCodes[codes];
  if (own.includes(code)) return { error: code };
  // Any unusable request, whatever is wrong with it: a field, or a page token of another query.
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
