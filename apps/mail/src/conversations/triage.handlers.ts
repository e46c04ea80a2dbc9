import { moves, triage } from '@postroom/contracts';
import { handlers, UnitOfWork } from '@postroom/operations';
import { conversationTarget } from './conversations.handlers.js';
import { leaseConversation } from './lease-conversation.js';
import { markConversation, moveConversation } from './place-conversation.js';
import { snoozeConversation, unsnoozeConversation } from './snooze-conversation.js';
import { assignConversation, labelConversation } from './triage.js';

/** Changes of conversations that have no public event. */
export const MovesHandlers = handlers(
  moves,
  [UnitOfWork],
  (work) => ({
    read: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await markConversation(context, input),
    }),

    move: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await moveConversation(context, input),
    }),

    lease: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await leaseConversation(context, input, work),
    }),
  }),
  { target: conversationTarget },
);

/** Assignment, labels and snoozes of conversations. */
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

    unsnooze: async (context, input) => ({
      ok: true,
      id: input.id,
      result: await unsnoozeConversation(context, input),
    }),
  },
  { target: conversationTarget },
);
