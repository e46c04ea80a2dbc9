import { AnswerOf } from './answers.js';
import { Count, Flag, Id, Instant, JsonObject, OneOf, Part, Text } from './fields/index.js';
import { family, operation } from './operation.js';

/** States of an approval; those after `executing` are closed. */
export const approvalStates = [
  'pending',
  'approved',
  'executing',
  'executed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
  'refused',
] as const;

export type ApprovalState = (typeof approvalStates)[number];

/** States in which the write may still be done. */
export const openApprovalStates: readonly ApprovalState[] = ['pending', 'approved', 'executing'];

/** The resource that a write changes. */
export class ApprovalTarget {
  @Text('Its kind.', { max: 40 })
  type!: string;

  @Text('Its identifier.', { max: 64 })
  id!: string;

  @Count('Its version when the write was filed; null where the key may not read it.', {
    max: Number.MAX_SAFE_INTEGER,
    nullable: true,
  })
  version!: number | null;
}

/**
 * The change that the write would make: of an update, the fields that differ. If it makes further resources of
 * the same kind, such as the series of the occurrences that follow, `created` lists for each one the fields
 * that differ from the one before.
 */
export class ApprovalDifference {
  @JsonObject('The resource before; null of a creation.', { nullable: true })
  before!: Readonly<Record<string, unknown>> | null;

  @JsonObject(
    'The resource after; null of a removal. `created`: what the write makes beside it, by what differs.',
    { nullable: true },
  )
  after!: Readonly<Record<string, unknown>> | null;
}

/** The agent key that asked for the write. */
export class ApprovalRequester {
  @Id('key', 'The key.')
  keyId!: string;

  @Text('Name of the key when it asked.', { max: 200 })
  name!: string;

  @Text('The program that used it, as it names itself, unverified; null where it did not.', {
    max: 200,
    nullable: true,
  })
  client!: string | null;
}

/** The answer to the write when it was executed. */
export class ApprovalResult {
  @Count('Status of the answer.', { min: 200, max: 599 })
  status!: number;

  @JsonObject('Body of the answer; empty where the key may not read it.')
  body!: Readonly<Record<string, unknown>>;
}

/** A write of an agent that a person decides about (`decisions.md` §6). */
export class ApprovalRequest {
  @Id('apr', 'The approval.')
  id!: string;

  @OneOf(approvalStates, 'How far it has got.')
  state!: ApprovalState;

  @Text('The operation that it would be.', { max: 100 })
  operation!: string;

  @OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'Method of its route.')
  method!: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

  @Text('Path of its route.', { max: 500 })
  path!: string;

  @Text('What it would do, in plain English.', { max: 500 })
  summary!: string;

  @JsonObject('The input, as it was when it was filed.')
  payload!: Readonly<Record<string, unknown>>;

  @Text('SHA-256 of the canonical JSON (RFC 8785) of the payload, in hexadecimal.', { max: 64 })
  payloadHash!: string;

  @JsonObject(
    'The input as a member changed it before approving it; null of one approved as it was.',
    {
      nullable: true,
    },
  )
  approvedPayload!: Readonly<Record<string, unknown>> | null;

  @Part(() => ApprovalTarget, 'What it would change; null where there is no such resource.', {
    nullable: true,
  })
  target!: ApprovalTarget | null;

  @Part(
    () => ApprovalDifference,
    'What it would change of it; null where the key may not read it.',
    {
      nullable: true,
    },
  )
  difference!: ApprovalDifference | null;

  @Part(() => ApprovalRequester, 'Who asked for it.')
  requestedBy!: ApprovalRequester;

  @OneOf(['rest', 'mcp'], 'By which way it was asked for.')
  channel!: 'rest' | 'mcp';

  @Text('The Idempotency-Key of the request.', { max: 200 })
  idempotencyKey!: string;

  @Instant('When it was filed.')
  createdAt!: string;

  @Instant('When it expires, unless it is decided before.')
  expiresAt!: string;

  @Text('Address of the member who decided; null while nobody has.', { max: 320, nullable: true })
  decidedBy!: string | null;

  @Instant('When it was decided.', { nullable: true })
  decidedAt!: string | null;

  @Text('What the member said about the decision.', { max: 2000, nullable: true })
  comment!: string | null;

  @Part(() => ApprovalResult, 'What the write was answered; null while it was not done.', {
    nullable: true,
  })
  result!: ApprovalResult | null;

  @Text(
    'Compact JWS (Ed25519) over the decision, verifiable with `/public/.well-known/jwks.json`; null until it is closed.',
    { max: 4000, nullable: true },
  )
  receipt!: string | null;
}

/** Input of reading one's own approval. */
export class GetFiledApproval {
  @Id('apr', 'The approval.')
  id!: string;
}

/** One approval. */
export class ApprovalAnswer extends AnswerOf('approval', () => ApprovalRequest, 'The approval.') {}

/** Answer to a write that waits for a person (202). */
export class ApprovalFiled {
  @Flag('Always true: nothing was written.')
  approvalRequired!: boolean;

  @Part(() => ApprovalRequest, 'The approval that was filed.')
  approval!: ApprovalRequest;
}

/** The agent's side of the queue. */
export const filedApprovals = family('access', 'filedApprovals', {
  get: operation({
    http: 'GET /v1/approvals/:id',
    scope: 'any',
    summary: 'Read an approval that this key has filed',
    input: GetFiledApproval,
    output: ApprovalAnswer,
    problems: ['APPROVAL_NOT_FOUND'],
    addition: true,
    keysOnly: true,
  }),
});
