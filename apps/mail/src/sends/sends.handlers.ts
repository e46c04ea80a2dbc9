import { sends } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { newMessage, reply } from './send-request.js';
import { Sender } from './sender.js';

/** The two routes by which a message leaves. */
export const SendsHandlers = handlers(sends, [Sender], (sender) => ({
  create: (context, input) => sender.send(context, newMessage(input)),
  reply: (context, input) => sender.send(context, reply(input)),
}));
