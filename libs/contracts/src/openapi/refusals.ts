import type { Row } from '../operation.js';
import type { ProblemCode } from '../problems.js';

interface Rule {
  readonly applies: (row: Row) => boolean;
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
  { applies: (row) => row.effect === 'send', codes: ['AGENT_CANNOT_SEND', 'SEND_SWITCH_CLOSED'] },
  { applies: (row) => row.member, codes: ['MEMBER_IDENTITY_INCOMPLETE'] },
  {
    applies: (row) => mustHaveKey(row) || row.approval === 'eligible',
    codes: ['IDEMPOTENCY_KEY_REQUIRED'],
  },
  {
    applies: (row) => row.idempotency !== 'none',
    codes: ['IDEMPOTENCY_KEY_MALFORMED', 'IDEMPOTENCY_KEY_REUSED', 'DUPLICATE_IN_PROGRESS'],
  },
  { applies: (row) => row.fields.body.length > 0, codes: ['BODY_TOO_LARGE'] },
  { applies: (row) => row.mailbox !== 'none', codes: ['MAILBOX_FORBIDDEN'] },
  { applies: (row) => row.mailbox === 'write', codes: ['MAILBOX_READ_ONLY'] },
  { applies: (row) => row.approval === 'eligible', codes: ['APPROVALS_UNAVAILABLE'] },
];

/** Whether every caller has to give an Idempotency-Key. */
export const mustHaveKey = ({ idempotency }: Row): boolean =>
  idempotency === 'required' || idempotency === 'send';

/** What a caller of the row can be refused before the operation itself, which has `row.problems`. */
export const refusalsBefore = (row: Row): readonly ProblemCode[] =>
  rules.filter((rule) => rule.applies(row)).flatMap((rule) => rule.codes);
