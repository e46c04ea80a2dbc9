import { sends, unknownSends } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { newMessage, reply } from './send-request.js';
import { Sender } from './sender.js';
import { SettleSends } from './settle-send.js';

/** The two routes by which a message leaves. */
export const SendsHandlers = handlers(sends, [Sender], (sender) => ({
  create: (context, input) => sender.send(context, newMessage(input)),
  reply: (context, input) => sender.send(context, reply(input)),
}));

/** What an administrator does about sends whose outcome is unknown. */
export const UnknownSendsHandlers = handlers(unknownSends, [SettleSends], (settling) => ({
  list: (context) => settling.list(context),
  settle: async (context, input) => {
    await settling.settle(context, input);
    return { send: { id: input.id, state: input.outcome } };
  },
}));
