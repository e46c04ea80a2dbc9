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
  const newest = isNewest(conversation, message);
  const speaks = isOutside(message, mailbox) && (newest || from === null);
  return {
    ...conversation,
    messageCount: messageCount + 1,
    hasAttachments: conversation.hasAttachments || message.attachments.some((one) => !one.inline),
    participants: withParticipants(participants, message, mailbox),
    from: speaks ? (message.from ?? from) : from,
    updatedAt: later(conversation.updatedAt, now.toISOString()),
    version: conversation.version + 1,
    ...(newest && {
      preview: message.preview,
      lastMessageId: message.id,
      lastMessageAt: message.receivedAt,
    }),
  };
}
