import {
  Count,
  Day,
  Flag,
  Id,
  Instant,
  JsonObject,
  ListOf,
  OneOf,
  PageToken,
  Part,
  Text,
} from './fields/index.js';
import { family, operation } from './operation.js';
import { SettingsPage } from './answers.js';

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
export class ApprovalAnswer {
  @Part(() => ApprovalRequest, 'The approval.')
  approval!: ApprovalRequest;
}

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

/** Input of the list. */
export class ListApprovals {
  @OneOf(approvalStates, 'Those in one state.', { optional: true })
  state?: ApprovalState;

  @Id('key', 'Those of one key.', { optional: true })
  key?: string;

  @Count('Approvals on a page.', { min: 1, max: 100, default: 50 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** A page of approvals. */
export class ApprovalPage {
  @ListOf(() => ApprovalRequest, 'Approvals, newest first.', { max: 100 })
  items!: ApprovalRequest[];

  @Text('Asks for the next page; null after the last.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** Input of reading an approval. */
export class GetApproval {
  @Id('apr', 'The approval.')
  id!: string;
}

/** Input of an approving decision. */
export class ApproveApproval extends GetApproval {
  @Text('What to say about it.', { max: 2000, optional: true, nullable: 'absent' })
  comment?: string;
}

/** Input of a rejecting decision. */
export class RejectApproval extends GetApproval {
  @Text('Why; the agent is told.', { max: 2000, filled: true })
  comment!: string;
}

/** The people's side of the queue (`decisions.md` §6, §9). */
export const approvalQueue = family(
  'access',
  'approvals',
  {
    list: operation({
      http: 'GET /approvals',
      effect: 'read',
      summary: 'List the approvals whose target one may see, newest first',
      description: 'A page ends early where it would be more than a few megabytes.',
      input: ListApprovals,
      output: ApprovalPage,
      problems: ['INVALID_PAGE_TOKEN'],
    }),
    get: operation({
      http: 'GET /approvals/:id',
      summary: 'Read an approval whose target one may see',
      input: GetApproval,
      output: ApprovalAnswer,
      problems: ['APPROVAL_NOT_FOUND'],
    }),
    approve: operation({
      http: 'POST /approvals/:id/approve',
      effect: 'intake',
      summary: 'Approve a write, which is then carried out',
      description: 'Answered when it has been carried out, or after five seconds while it is.',
      input: ApproveApproval,
      output: ApprovalAnswer,
      problems: ['APPROVER_REQUIRED', 'APPROVAL_NOT_FOUND', 'APPROVAL_CLOSED'],
    }),
    reject: operation({
      http: 'POST /approvals/:id/reject',
      effect: 'intake',
      summary: 'Reject a write, which is then never carried out',
      input: RejectApproval,
      output: ApprovalAnswer,
      problems: ['APPROVER_REQUIRED', 'APPROVAL_NOT_FOUND', 'APPROVAL_CLOSED'],
    }),
  },
  { audience: 'member' },
);

const many = { max: Number.MAX_SAFE_INTEGER };

/** Input of the figures. */
export class ListAgents {
  @Day('First day, in the workspace’s time zone; 29 days before the last one when absent.', {
    optional: true,
  })
  from?: string;

  @Day('Last day, included; today when absent.', { optional: true })
  to?: string;
}

/** Outcomes of the writes of one operation that an agent key filed on one day. */
export class AgentDay {
  @Id('key', 'The key.')
  keyId!: string;

  @Text('Its name.', { max: 200 })
  name!: string;

  @Text('The operation.', { max: 100 })
  operation!: string;

  @Day('The day on which they were filed.')
  day!: string;

  @Count('Writes filed.', many)
  filed!: number;

  @Count('Of these: approved by a member.', many)
  approved!: number;

  @Count('Rejected by a member.', many)
  rejected!: number;

  @Count('Expired before anybody decided.', many)
  expired!: number;

  @Count('Refused when they would have been done: the world had changed.', many)
  refused!: number;

  @Count('Approved, and refused by the operation itself.', many)
  failed!: number;

  @Count('Done.', many)
  executed!: number;

  @Count('Median time from filing to decision, in milliseconds; null while nothing is decided.', {
    ...many,
    nullable: true,
  })
  medianDecisionMs!: number | null;
}

/** Figures of a period, newest day first. */
export class AgentDays extends SettingsPage {
  @ListOf(() => AgentDay, 'By key, operation and day.', { max: 5_000 })
  items!: AgentDay[];
}

/** Agents' requests and the decisions about them (`decisions.md` §9). */
export const agents = family(
  'access',
  'agents',
  {
    list: operation({
      http: 'GET /agents',
      summary: 'Count the writes that agents filed, and what became of them, by day',
      input: ListAgents,
      output: AgentDays,
    }),
  },
  { audience: 'member', admin: true },
);
