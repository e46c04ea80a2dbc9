import type { Operation } from '../operation.js';
import type { ProblemCode } from '../problems.js';

interface Rule {
  readonly applies: (operation: Operation) => boolean;
  readonly codes: readonly ProblemCode[];
}

/** What the gateway refuses before an operation (`decisions.md` §2), and for which operations. */
const rules: readonly Rule[] = [
  {
    applies: () => true,
    codes: [
      'INVALID_REQUEST',
      'UNAUTHENTICATED',
      'SCOPE_MISSING',
      'RATE_LIMITED',
      'INTERNAL',
      'AUTHORIZATIONS_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ],
  },
  {
    applies: (operation) => operation.effect === 'send',
    codes: ['AGENT_CANNOT_SEND', 'SEND_SWITCH_CLOSED'],
  },
  { applies: (operation) => operation.member, codes: ['MEMBER_IDENTITY_INCOMPLETE'] },
  {
    applies: (operation) => mustHaveKey(operation) || operation.approval === 'eligible',
    codes: ['IDEMPOTENCY_KEY_REQUIRED'],
  },
  {
    applies: (operation) => operation.idempotency !== 'none',
    codes: ['IDEMPOTENCY_KEY_MALFORMED', 'IDEMPOTENCY_KEY_REUSED', 'DUPLICATE_IN_PROGRESS'],
  },
  { applies: (operation) => operation.fields.body.length > 0, codes: ['BODY_TOO_LARGE'] },
  // A protocol of its own has an address for one method, and clients that try others.
  { applies: (operation) => operation.raw !== null, codes: ['METHOD_NOT_ALLOWED'] },
  { applies: (operation) => operation.mailbox !== 'none', codes: ['MAILBOX_FORBIDDEN'] },
  { applies: (operation) => operation.mailbox === 'write', codes: ['MAILBOX_READ_ONLY'] },
  {
    applies: (operation) => operation.approval === 'eligible',
    codes: ['APPROVALS_UNAVAILABLE', 'TOO_MANY_APPROVALS', 'APPROVAL_CLOSED'],
  },
];

/** Whether every caller has to give an Idempotency-Key. */
export const mustHaveKey = ({ idempotency }: Operation): boolean =>
  idempotency === 'required' || idempotency === 'send';

/** What a caller of the operation can be refused before the operation itself, which has `operation.problems`. */
export const refusalsBefore = (operation: Operation): readonly ProblemCode[] =>
  rules.filter((rule) => rule.applies(operation)).flatMap((rule) => rule.codes);
