import type { ConversationItem, Message } from '@postroom/contracts';
import { isNewest, later, withParticipants } from '../inbound/index.js';

/**
 * The conversation once a message of ours has left in it: nobody waits for an answer any more, but who
 * has written since.
 *
 * @param waitingSince when somebody outside wrote first after the message, if anybody did
 */
export function withSent(
  conversation: ConversationItem,
  message: Message,
  now: Date,
  waitingSince: string | null,
): ConversationItem {
  const { mailbox, messageCount, participants } = conversation;
  return {
    ...conversation,
    messageCount: messageCount + 1,
    hasAttachments: conversation.hasAttachments || message.attachments.some((one) => !one.inline),
    participants: withParticipants(participants, message, mailbox),
    waitingSince,
    updatedAt: later(conversation.updatedAt, now.toISOString()),
    version: conversation.version + 1,
    ...(isNewest(conversation, message) && {
      preview: message.preview,
      unread: false,
      lastMessageId: message.id,
      lastMessageAt: message.receivedAt,
    }),
  };
}
