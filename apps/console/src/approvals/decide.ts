import type { ApprovalAnswer, ApprovalRequest } from '@postroom/contracts';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { ApiProblem } from '../api/problem.js';
import { tellDone } from '../ui/notices.js';
import { learnApproval } from './queue.js';
import { headlineOf, type Fields } from './request/headline.js';

export type Decision =
  | { readonly verb: 'approve'; readonly comment?: string; readonly payload?: Fields }
  | { readonly verb: 'reject'; readonly comment: string };

const done: Readonly<Record<string, string>> = {
  executed: 'Approved and done',
  approved: 'Approved',
  executing: 'Approved; it is being carried out',
  rejected: 'Rejected',
};

/** The approval in a refusal: another member was first. */
export const approvalIn = (error: unknown): ApprovalRequest | null =>
  error instanceof ApiProblem && error.code === 'APPROVAL_CLOSED'
    ? ((error.body.approval as ApprovalRequest | undefined) ?? null)
    : null;

/**
 * Decides about an approval. It goes on to the next one when the write was done; what came out otherwise, or was
 * decided by another member before, stays on the page.
 */
export function useDecision(
  approval: ApprovalRequest,
  onDecided: () => void,
): UseMutationResult<ApprovalAnswer, Error, Decision> {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  return useMutation({
    mutationFn: ({ verb, ...body }: Decision) =>
      api.post<ApprovalAnswer>(`/approvals/${approval.id}/${verb}`, body, {
        idempotencyKey: `${idempotencyKey}-${verb}`,
      }),
    onSuccess: ({ approval: decided }) => {
      learnApproval(client, decided);
      const words = done[decided.state];
      if (words === undefined) return;
      tellDone(`${words}: ${headlineOf(decided)}`);
      onDecided();
    },
    onError: (error) => {
      const closed = approvalIn(error);
      if (closed) learnApproval(client, closed);
    },
  });
}
