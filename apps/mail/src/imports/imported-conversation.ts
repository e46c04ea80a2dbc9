import type { ConversationItem, Message } from '@postroom/contracts';
import { isNewest, isOutside, later, withParticipants } from '../inbound/index.js';

/**
 * The conversation once a message was imported into it. History is no news: it reopens nothing,
 * marks nothing unread and lets nobody wait.
 */
export function withImported(
  conversation: ConversationItem,
  message: Message,
  now: Date,
): ConversationItem {
  const { mailbox, messageCount, participants, from } = conversation;
  return {
    ...conversation,
    messageCount: messageCount + 1,
    hasAttachments: conversation.hasAttachments || message.attachments.some((one) => !one.inline),
    participants: withParticipants(participants, message, mailbox),
    updatedAt: later(conversation.updatedAt, now.toISOString()),
    version: conversation.version + 1,
    ...(isNewest(conversation, message) && {
      from: isOutside(message, mailbox) ? (message.from ?? from) : from,
      preview: message.preview,
      lastMessageId: message.id,
      lastMessageAt: message.receivedAt,
    }),
  };
}
