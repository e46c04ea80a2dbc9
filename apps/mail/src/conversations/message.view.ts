import { instant } from '@postroom/persistence';

/**
 * The columns that make a row of `messages` a `Message`, all but its attachments.
 *
 * @param of the row, as SQL
 * @param withBodies whether its bodies are shown, as SQL
 * @param withLists whether its addresses and references are shown, as SQL
 */
export const messageColumns = (of: string, withBodies: string, withLists: string): string => {
  const list = (column: string, none = '[]'): string =>
    `CASE WHEN ${withLists} THEN ${of}.${column} ELSE '${none}' END`;
  const body = (column: string): string => `CASE WHEN ${withBodies} THEN ${of}.${column} END`;
  return `
  ${of}.id, ${of}.conversation_id AS "threadId", ${of}.direction, ${of}.sender AS "from",
  ${list('recipients')} AS "to", ${list('cc')} AS cc, ${list('bcc')} AS bcc,
  ${list('reply_to')} AS "replyTo", ${of}.subject, ${of}.preview, ${body('text')} AS text,
  ${body('html')} AS html, ${body('extracted_text')} AS "extractedText",
  ${of}.has_remote_content AS "hasRemoteContent", ${instant(`${of}.sent_at`)} AS "sentAt",
  ${instant(`${of}.received_at`)} AS "receivedAt", ${of}.message_id AS "messageId",
  ${of}.in_reply_to AS "inReplyTo", ${list('reference_ids', '{}')} AS "references",
  ${of}.is_auto_reply AS "isAutoReply", ${of}.bounce, ${of}.auth, ${of}.trust, ${of}.invitation, ${of}.priority,
  ${of}.size_bytes AS "sizeBytes", ${of}.provider_message_id AS "providerMessageId",
  ${of}.receipt_source AS "receiptSource", ${of}.created_by AS "createdBy"`;
};

/** The columns that make a row of `attachments` an `Attachment`, and the message it belongs to. */
export const attachmentColumns = (of: string): string => `
  ${of}.message, ${of}.id, ${of}.filename, ${of}.mime_type AS "mimeType",
  ${of}.declared_mime_type AS "declaredMimeType", ${of}.size_bytes AS size, ${of}.inline,
  ${of}.content_id AS "contentId"`;
