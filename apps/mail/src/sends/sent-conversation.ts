import type { ConversationItem, Message } from '@postroom/contracts';
import { later, withParticipants } from '../inbound/index.js';

/** The conversation once a message of ours has left in it: nobody waits for an answer any more. */
export function withSent(conversation: ConversationItem, message: Message): ConversationItem {
  const { mailbox, messageCount, participants } = conversation;
  return {
    ...conversation,
    preview: message.preview,
    unread: false,
    messageCount: messageCount + 1,
    hasAttachments: conversation.hasAttachments || message.attachments.some((one) => !one.inline),
    participants: withParticipants(participants, message, mailbox),
    lastMessageId: message.id,
    lastMessageAt: message.receivedAt,
    waitingSince: null,
    updatedAt: later(conversation.updatedAt, message.receivedAt),
    version: conversation.version + 1,
  };
}
