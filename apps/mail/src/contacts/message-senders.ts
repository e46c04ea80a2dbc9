import { memberOf } from '@postroom/access';
import { messageSenders, Problem, type MessageSender } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const find = statement<MessageSender>(
  'contacts.find_sender',
  'SELECT sender FROM find_sender($1, $2, $3)',
);

/** Who sent a message, for a contact that is made of the sender. */
export const MessageSendersHandlers = handlers(messageSenders, {
  find: async ({ rows, caller }, { messageId }) => {
    const [found] = await rows(find, [memberOf(caller), messageId]);
    if (!found) throw new Problem('MESSAGE_NOT_FOUND');
    return found;
  },
});
