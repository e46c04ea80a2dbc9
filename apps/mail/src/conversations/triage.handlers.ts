import { triage } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { conversationTarget } from './conversation-target.js';
import { assignConversation } from './assign-conversation.js';
import { labelConversation } from './label-conversation.js';
import { snoozeConversation } from './snooze-conversation.js';

/** Who works on a conversation, and what a team notes about it. */
export const TriageHandlers = handlers(
  triage,
  {
    assign: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await assignConversation(context, input),
    }),

    label: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await labelConversation(context, input),
    }),

    snooze: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await snoozeConversation(context, input),
    }),
  },
  { target: conversationTarget },
);
