import { instant } from './instant.js';

/**
 * The columns that make a row of `messages` a `Message`, all but its attachments.
 *
 * @param of the row, as SQL
 * @param withBodies whether its bodies are shown, as SQL
 */
export const messageColumns = (of: string, withBodies: string): string => `
  ${of}.id, ${of}.conversation_id AS "threadId", ${of}.direction, ${of}.sender AS "from",
  ${of}.recipients AS "to", ${of}.cc, ${of}.bcc, ${of}.reply_to AS "replyTo",
  ${of}.subject, ${of}.preview, CASE WHEN ${withBodies} THEN ${of}.text END AS text,
  CASE WHEN ${withBodies} THEN ${of}.html END AS html,
  CASE WHEN ${withBodies} THEN ${of}.extracted_text END AS "extractedText",
  ${of}.has_remote_content AS "hasRemoteContent", ${instant(`${of}.sent_at`)} AS "sentAt",
  ${instant(`${of}.received_at`)} AS "receivedAt", ${of}.message_id AS "messageId",
  ${of}.in_reply_to AS "inReplyTo", ${of}.reference_ids AS "references",
  ${of}.is_auto_reply AS "isAutoReply", ${of}.bounce, ${of}.auth, ${of}.priority,
  ${of}.size_bytes AS "sizeBytes", ${of}.provider_message_id AS "providerMessageId",
  ${of}.receipt_source AS "receiptSource", ${of}.created_by AS "createdBy"`;

/** The columns that make a row of `attachments` an `Attachment`, and the message it belongs to. */
export const attachmentColumns = (of: string): string => `
  ${of}.message, ${of}.id, ${of}.filename, ${of}.mime_type AS "mimeType",
  ${of}.declared_mime_type AS "declaredMimeType", ${of}.size_bytes AS size, ${of}.inline,
  ${of}.content_id AS "contentId"`;
