import { instant } from '@postroom/persistence';

/**
 * The columns that make a row of `conversations` a `ConversationItem`: the query gives an answer its
 * shape, so that a page of a hundred is not copied field by field.
 *
 * @param of the row, as SQL
 * @param mailbox the mailbox's address, as SQL
 * @param snoozedUntil when the member's snooze of it ends, as SQL; for what no one member sees, null
 */
export const conversationColumns = (
  of: string,
  mailbox: string,
  snoozedUntil = 'NULL::timestamptz',
): string => `
  ${of}.id, ${mailbox} AS mailbox, ${of}.subject, ${of}.preview, ${of}.status, ${of}.placement,
  ${of}.assignee, ${of}.team_id AS "teamId", ${of}.labels, ${of}.unread,
  ${of}.message_count AS "messageCount", ${of}.comment_count AS "commentCount",
  ${of}.draft_count AS "draftCount", ${of}.has_attachments AS "hasAttachments",
  ${of}.participants, ${of}.sender AS "from", ${of}.last_message_id AS "lastMessageId",
  ${instant(`${of}.last_message_at`)} AS "lastMessageAt",
  ${instant(`${of}.waiting_since`)} AS "waitingSince", ${instant(snoozedUntil)} AS "snoozedUntil",
  ${instant(`${of}.created_at`)} AS "createdAt", ${instant(`${of}.updated_at`)} AS "updatedAt",
  ${of}.version`;
