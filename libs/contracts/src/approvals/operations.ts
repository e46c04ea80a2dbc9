import { Count, Id, ListOf, OneOf, PageToken, Part, Text, Flag } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { ApprovalRequest, approvalStates, type ApprovalState } from './approval.js';

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

/** What a write that waits for a person is answered (202). */
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
    effect: 'read',
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
      effect: 'read',
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
