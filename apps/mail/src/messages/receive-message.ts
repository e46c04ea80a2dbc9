import type { Changing } from '@postroom/operations';
import { messageEventData, publishInvitation } from './message-events.js';
import { receivedTime, withReceived } from './conversation-with-message.js';
import { type InboundMessage, storeInboundMessage } from './store-inbound-message.js';
import { lockThread } from './lock-thread.js';
import { messageOf } from './message-of-parsed.js';

/**
 * Stores a message that a mailbox has received, in its conversation.
 * @returns the id of the conversation
 * @throws what `isDuplicateMessage` knows, when the mailbox has the message already
 */
export async function receiveMessage(changing: Changing, inbound: InboundMessage): Promise<string> {
  const { parsed, raw, mailbox, auth } = inbound;
  const before = await lockThread(changing, mailbox, parsed);
  const message = messageOf(parsed, {
    conversationId: before.id,
    receivedAt: receivedTime(before, changing.at),
    sizeBytes: raw.length,
    ...(auth && { auth }),
  });
  const conversation = withReceived(before, message);
  const sequence = await storeInboundMessage(changing, inbound, message, conversation);
  await publishInvitation(changing, inbound, message.id);
  if (mailbox.automation) {
    changing.emit({
      type: 'conversation.received',
      resource: { type: 'conversation', id: conversation.id },
      sequence,
      data: messageEventData(conversation, message),
    });
  }
  return conversation.id;
}
