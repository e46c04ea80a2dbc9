import type { ConversationItem, Message } from '@postroom/contracts';
import type { ParsedAttachment } from '@postroom/mime';
import { ordinary } from '../trust.js';

/** The columns of a message. */
export const messageRow = (message: Message): object => ({
  id: message.id,
  conversation_id: message.threadId,
  direction: message.direction,
  sender: message.from,
  recipients: message.to,
  cc: message.cc,
  bcc: message.bcc,
  reply_to: message.replyTo,
  recipients_truncated: message.recipientsTruncated ?? false,
  subject: message.subject,
  preview: message.preview,
  text: message.text,
  html: message.html,
  extracted_text: message.extractedText,
  has_remote_content: message.hasRemoteContent,
  sent_at: message.sentAt,
  received_at: message.receivedAt,
  message_id: message.messageId,
  in_reply_to: message.inReplyTo,
  reference_ids: message.references,
  is_auto_reply: message.isAutoReply,
  bounce: message.bounce,
  bounced: message.bounced,
  auth: message.auth,
  trust: message.trust ?? ordinary,
  priority: message.priority,
  size_bytes: message.sizeBytes,
  provider_message_id: message.providerMessageId,
  receipt_source: message.receiptSource,
  created_by: message.createdBy,
});

/** The columns of a message's attachments; `parsed` lists them in the same order. */
export const attachmentRows = (
  { id, threadId, attachments }: Message,
  parsed: readonly ParsedAttachment[],
  tenantId: string,
): object[] =>
  attachments.map((attachment, position) => ({
    tenant_id: tenantId,
    id: attachment.id,
    conversation_id: threadId,
    message: id,
    position,
    filename: attachment.filename,
    mime_type: attachment.mimeType,
    declared_mime_type: attachment.declaredMimeType,
    size_bytes: attachment.size,
    inline: attachment.inline,
    content_id: attachment.contentId,
    source: parsed[position]?.source ?? null,
  }));

/** The columns of a conversation that a message may change. */
export const conversationRow = (conversation: ConversationItem): object => ({
  id: conversation.id,
  preview: conversation.preview,
  placement: conversation.placement,
  status: conversation.status,
  labels: conversation.labels,
  unread: conversation.unread,
  message_count: conversation.messageCount,
  has_attachments: conversation.hasAttachments,
  participants: conversation.participants,
  sender: conversation.from,
  last_message_id: conversation.lastMessageId,
  last_message_at: conversation.lastMessageAt,
  waiting_since: conversation.waitingSince,
  updated_at: conversation.updatedAt,
  version: conversation.version,
});
