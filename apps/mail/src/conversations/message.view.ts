import { instant } from './instant.js';

/**
 * The columns that make a row of `messages` a `Message`, all but its attachments.
 *
 * @param of the row, as SQL
 * @param withBodies whether its bodies are shown, as SQL
 * @param withLists whether its addresses and references are shown, as SQL
 */
export const messageColumns = (of: string, withBodies: string, withLists: string): string => `
  ${of}.id, ${of}.conversation_id AS "threadId", ${of}.direction, ${of}.sender AS "from",
  CASE WHEN ${withLists} THEN ${of}.recipients ELSE '[]' END AS "to",
  CASE WHEN ${withLists} THEN ${of}.cc ELSE '[]' END AS cc,
  CASE WHEN ${withLists} THEN ${of}.bcc ELSE '[]' END AS bcc,
  CASE WHEN ${withLists} THEN ${of}.reply_to ELSE '[]' END AS "replyTo",
  ${of}.subject, ${of}.preview, CASE WHEN ${withBodies} THEN ${of}.text END AS text,
  CASE WHEN ${withBodies} THEN ${of}.html END AS html,
  CASE WHEN ${withBodies} THEN ${of}.extracted_text END AS "extractedText",
  ${of}.has_remote_content AS "hasRemoteContent", ${instant(`${of}.sent_at`)} AS "sentAt",
  ${instant(`${of}.received_at`)} AS "receivedAt", ${of}.message_id AS "messageId",
  ${of}.in_reply_to AS "inReplyTo", CASE WHEN ${withLists} THEN ${of}.reference_ids ELSE '{}' END AS "references",
  ${of}.is_auto_reply AS "isAutoReply", ${of}.bounce, ${of}.auth, ${of}.priority,
  ${of}.size_bytes AS "sizeBytes", ${of}.provider_message_id AS "providerMessageId",
  ${of}.receipt_source AS "receiptSource", ${of}.created_by AS "createdBy"`;

/** The columns that make a row of `attachments` an `Attachment`, and the message it belongs to. */
export const attachmentColumns = (of: string): string => `
  ${of}.message, ${of}.id, ${of}.filename, ${of}.mime_type AS "mimeType",
  ${of}.declared_mime_type AS "declaredMimeType", ${of}.size_bytes AS size, ${of}.inline,
  ${of}.content_id AS "contentId"`;
