import {
  invitations,
  invitationSteps,
  messageSenders,
  type InvitationConfirmed,
} from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { requireSuccess } from '../problems.js';

/** Mail knows who may read a message, scheduling what it asks. */
export const InvitationsByMailHandlers = handlers(invitations, [OperationClient], (operations) => ({
  confirm: {
    prepare: async ({ caller, requestId }, { messageId }) => {
      const asked = { messageId };
      requireSuccess(await operations.call(messageSenders.find, caller, asked, { requestId }));
      const answer = await operations.call(invitationSteps.confirm, caller, asked, { requestId });
      const confirmed = JSON.parse(requireSuccess(answer).body.toString()) as InvitationConfirmed;
      return () => Promise.resolve(confirmed);
    },
  },
}));
