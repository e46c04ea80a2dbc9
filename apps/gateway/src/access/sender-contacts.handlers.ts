import {
  keptSenders,
  messageSenders,
  Problem,
  senderContacts,
  type ContactCreated,
  type MessageSender,
} from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { requireSuccess } from '../problems.js';

/** Mail knows who sent a message, the directory keeps the contact. */
export const SenderContactsHandlers = handlers(senderContacts, [OperationClient], (operations) => ({
  create: {
    prepare: async ({ caller, requestId }, { messageId, bookId }) => {
      const asked = { messageId };
      const found = await operations.call(messageSenders.find, caller, asked, { requestId });
      const { sender } = JSON.parse(requireSuccess(found).body.toString()) as MessageSender;
      if (!sender?.email) throw new Problem('EMPTY_CONTACT');
      const { email, name } = sender;
      const given = { bookId, email, name };
      const kept = await operations.call(keptSenders.keep, caller, given, { requestId });
      const answer = JSON.parse(requireSuccess(kept).body.toString()) as ContactCreated;
      return (context) => {
        if (answer.existed) context.existed();
        return Promise.resolve(answer);
      };
    },
  },
}));
