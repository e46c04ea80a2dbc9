import {
  ApprovalAnswer,
  ApprovalRequest,
  approvalStates,
  openApprovalStates,
  type ApprovalState,
} from './approvals.js';
import {
  Count,
  Email,
  Id,
  Ids,
  JsonObject,
  ListOf,
  OneOf,
  PageToken,
  Text,
  type Violation,
} from './fields/index.js';
import { family, operation } from './operation.js';

/** Input of the list. */
export class ListApprovals {
  @Text('States, separated by commas; `open` and `closed` are those before and after the end.', {
    max: 200,
    optional: true,
  })
  state?: string;

  @Id('key', 'Those of one key.', { optional: true })
  key?: string;

  @Email('Those that are about one mailbox.', { optional: true })
  mailbox?: string;

  @Text('Those that would be one operation.', { max: 100, optional: true })
  operation?: string;

  @Text('Those that would change one resource, by its identifier.', { max: 64, optional: true })
  target?: string;

  @Count('Approvals on a page.', { min: 1, max: 100, default: 50 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** The states that are asked for; null for all of them, undefined where a word is none. */
export function statesAsked({
  state,
}: Pick<ListApprovals, 'state'>): ApprovalState[] | null | undefined {
  if (state === undefined) return null;
  const words = state.split(',').map((word) => word.trim());
  const isKnown = (word: string): boolean =>
    word === 'open' || word === 'closed' || approvalStates.some((one) => one === word);
  if (!words.every(isKnown)) return undefined;
  const isAsked = (one: ApprovalState): boolean =>
    words.includes(one) || words.includes(openApprovalStates.includes(one) ? 'open' : 'closed');
  return approvalStates.filter(isAsked);
}

const unknownStates = (input: ListApprovals): readonly Violation[] =>
  statesAsked(input) === undefined
    ? [
        {
          field: 'state',
          fault: 'UNKNOWN_VALUE',
          message: { fr: 'état inconnu', en: 'there is no such state' },
        },
      ]
    : [];

/** A number of approvals. */
export class ApprovalCount {
  @OneOf(approvalStates, 'The state.')
  state!: ApprovalState;

  @Count('Approvals in it that one may see, of those that the other filters let through.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  approvals!: number;
}

/** A page of approvals. */
export class ApprovalPage {
  @ListOf(() => ApprovalRequest, 'Approvals, newest first.', { max: 100 })
  items!: ApprovalRequest[];

  @ListOf(
    () => ApprovalCount,
    'How many there are in each state, on the first page; null after it.',
    {
      max: 9,
      nullable: true,
    },
  )
  counts!: ApprovalCount[] | null;

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

  @JsonObject('The write as it is to be done instead: all of its input, in the same place.', {
    optional: true,
  })
  payload?: Readonly<Record<string, unknown>>;
}

/** Input of a rejecting decision. */
export class RejectApproval extends GetApproval {
  @Text('Why; the agent is told.', { max: 2000, filled: true })
  comment!: string;
}

/** Input of a decision about several. */
export class DecideApprovals {
  @Ids('apr', 'The approvals.', { max: 50 })
  ids!: string[];

  @OneOf(['approve', 'reject'], 'The decision about each.')
  decision!: 'approve' | 'reject';

  @Text('What to say about it; why, of a rejection.', {
    max: 2000,
    optional: true,
    nullable: 'absent',
  })
  comment?: string;
}

/** The outcome for one of several. */
export class DecidedApproval {
  @Id('apr', 'The approval.')
  id!: string;

  @OneOf(approvalStates, 'Its state afterwards; null of one that one may not see.', {
    nullable: true,
  })
  state!: ApprovalState | null;

  @Text('Code of the refusal; null of one that was decided now.', { max: 60, nullable: true })
  code!: string | null;
}

/** The outcomes for several. */
export class DecidedApprovals {
  @ListOf(() => DecidedApproval, 'In the order that was asked.', { max: 50 })
  items!: DecidedApproval[];
}

const withoutReason = ({ decision, comment = '' }: DecideApprovals): readonly Violation[] =>
  decision === 'reject' && comment.trim() === ''
    ? [
        {
          field: 'comment',
          fault: 'REQUIRED',
          message: { fr: 'motif du refus attendu', en: 'expected why they are rejected' },
        },
      ]
    : [];

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
      rule: unknownStates,
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
      description: `Answered when it has been carried out, or after five seconds while it is. With
\`payload\` that is carried out instead of what was asked for, in the same place: never another operation,
mailbox or target. It is judged as the agent’s own write would be.`,
      input: ApproveApproval,
      output: ApprovalAnswer,
      problems: ['APPROVER_REQUIRED', 'APPROVAL_NOT_FOUND', 'APPROVAL_CLOSED'],
    }),
    decide: operation({
      http: 'POST /approvals/decide',
      effect: 'intake',
      summary: 'Decide about several approvals, one by one',
      description: 'Approved writes are carried out; the answer does not wait for all of them.',
      input: DecideApprovals,
      rule: withoutReason,
      output: DecidedApprovals,
      deadlineMs: 30_000,
      problems: ['APPROVER_REQUIRED'],
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
