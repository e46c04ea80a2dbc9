import type { ProblemCode } from './problems.js';

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
