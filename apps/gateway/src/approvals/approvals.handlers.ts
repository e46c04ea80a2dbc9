import { approvalQueue, filedApprovals, Problem } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { ApprovalPages } from './approval-pages.js';
import { findApproval } from './approval-rows.js';
import { approvalView, filedView } from './approval.view.js';
import { Closing } from './closing.js';
import { Decisions } from './decisions.js';

/** The people's side of the queue. */
export const ApprovalsHandlers = handlers(
  approvalQueue,
  [ApprovalPages, Decisions],
  (pages, decisions) => ({
    list: (context, input) => pages.read(context, input),

    get: async (context, { id }) => ({ approval: approvalView(await decisions.find(context, id)) }),

    approve: async (context, { id, comment = null }) => ({
      approval: approvalView(await decisions.decide(context, id, { state: 'approved', comment })),
    }),

    reject: async (context, { id, comment }) => ({
      approval: approvalView(await decisions.decide(context, id, { state: 'rejected', comment })),
    }),
  }),
);

/** The agent's side: what its own key has filed. */
export const FiledApprovalsHandlers = handlers(filedApprovals, [Closing], (closing) => ({
  get: async (context, { id }) => {
    const { caller, rows } = context;
    const [found] = await rows(findApproval, [id]);
    if (caller.type !== 'key' || found?.keyId !== caller.keyId)
      throw new Problem('APPROVAL_NOT_FOUND');
    return { approval: filedView(await closing.settled(context, found), caller) };
  },
}));
