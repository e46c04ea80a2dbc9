import type { ApprovalRequest } from '@postroom/contracts';
import type { Answer } from './http.js';
import type { SettingsApi } from './settings-api.js';
import { recordOf } from './wire.js';

/** The approval in an answer. */
export const approvalOf = (answer: Answer): ApprovalRequest =>
  recordOf(answer)['approval'] as ApprovalRequest;

/** Decides about an approval, as a member. */
export const decide = (
  settings: SettingsApi,
  { id }: Pick<ApprovalRequest, 'id'>,
  verb: 'approve' | 'reject',
): Promise<Answer> =>
  settings.post(`/approvals/${id}/${verb}`, verb === 'reject' ? { comment: 'No.' } : {});

/** An approval as a member sees it. */
export const shownTo = async (
  settings: SettingsApi,
  { id }: Pick<ApprovalRequest, 'id'>,
): Promise<ApprovalRequest> => approvalOf(await settings.get(`/approvals/${id}`));
