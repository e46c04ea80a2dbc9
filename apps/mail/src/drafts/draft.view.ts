import { instant } from '@postroom/persistence';

/**
 * The columns that make a row of `drafts` a `Draft`.
 *
 * @param of the row, as SQL
 * @param mailbox the mailbox's address, as SQL
 */
export const draftColumns = (of: string, mailbox: string): string => `
  ${of}.id, ${mailbox} AS mailbox, ${of}.conversation_id AS "threadId",
  ${of}.in_reply_to AS "inReplyTo", ${of}.recipients AS "to", ${of}.cc, ${of}.bcc, ${of}.subject,
  ${of}.body, draft_files_of(${of}.tenant_id, ${of}.id) AS attachments,
  ${of}.signature_id AS "signatureId", ${of}.created_by AS "createdBy", ${of}.source,
  ${instant(`${of}.created_at`)} AS "createdAt", ${instant(`${of}.updated_at`)} AS "updatedAt",
  ${of}.version`;
