import type { ConversationItem, Message } from '@postroom/contracts';
import type { ParsedMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { documentOf, keepSearchDocuments } from '../search/search-document.js';
import { isNewest, withSent } from './conversation-with-message.js';
import { messageEventData } from './message-events.js';
import { attachmentRows, conversationRow, messageRow } from './message-rows.js';

const keep = statement<object>(
  'conversations.add_sent_message',
  `WITH message AS (
     INSERT INTO messages SELECT * FROM json_populate_record(NULL::messages, $2)
   ), files AS (
     INSERT INTO attachments SELECT * FROM json_populate_recordset(NULL::attachments, $3)
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind, scope)
     SELECT $1, $5::timestamptz, v.kind, v.scope
     FROM json_populate_record(NULL::conversations, $4) n
     JOIN conversations before ON before.tenant_id = $1 AND before.id = n.id
     JOIN mailboxes m ON m.tenant_id = $1 AND m.id = before.mailbox_id
     CROSS JOIN LATERAL (VALUES
       ('messages.sent', m.address, true),
       ('conversations.created', '', before.message_count = 0)
     ) AS v (kind, scope, happened)
     WHERE v.happened
   ), named AS (
     INSERT INTO thread_ids (tenant_id, mailbox_id, message_id, conversation_id)
     SELECT $1, c.mailbox_id, $6, c.id FROM json_populate_record(NULL::conversations, $4) n
     JOIN conversations c ON c.tenant_id = $1 AND c.id = n.id WHERE $6::text IS NOT NULL
     ON CONFLICT DO NOTHING
   )
   UPDATE conversations c SET preview = n.preview, unread = n.unread,
     message_count = n.message_count, has_attachments = n.has_attachments,
     participants = n.participants, last_message_id = n.last_message_id,
     last_message_at = n.last_message_at, waiting_since = n.waiting_since,
     updated_at = n.updated_at, version = n.version
   FROM json_populate_record(NULL::conversations, $4) n
   WHERE c.tenant_id = $1 AND c.id = n.id`,
);

/** The time of the first message from outside after a time. */
const writtenSince = statement<{ at: string }>(
  'conversations.written_since',
  `SELECT ${instant('min(received_at)')} AS at FROM messages
   WHERE tenant_id = $1 AND conversation_id = $2 AND received_at > $3 AND direction = 'inbound'
     AND lower(sender->>'email') IS DISTINCT FROM lower($4)
     AND NOT is_auto_reply AND NOT bounce
   HAVING count(*) > 0`,
);

const countEvent = statement<object>(
  'conversations.count_event',
  `UPDATE conversations SET event_sequence = event_sequence + 1 WHERE tenant_id = $1 AND id = $2`,
);

/** A message that has left, and the conversation that it belongs to, whose row is locked. */
export interface SentMessage {
  readonly mailboxId: string;
  readonly message: Message;
  /** The message as its bytes read. */
  readonly parsed: ParsedMessage;
  readonly conversation: ConversationItem;
  /** The provider's Message-ID if it replaced ours. */
  readonly providerMessageId: string | null;
  /** The sequence of its event. */
  readonly sequence: number;
}

/**
 * Stores a message that has left in its conversation. All statements are sent at once, unless mail has
 * been received since the message was written.
 *
 * @param alongside issues further statements, which are sent after them
 * @returns whether its event was queued: if it cannot be, the rest stays
 */
export async function addSentMessage(
  changing: Changing,
  { mailboxId, message, parsed, conversation: before, providerMessageId, sequence }: SentMessage,
  alongside: () => Promise<unknown>,
): Promise<boolean> {
  const { tenantId, rows } = changing;
  const [waiting] = isNewest(before, message)
    ? []
    : await rows(writtenSince, [before.id, message.receivedAt, before.mailbox]);
  const conversation = withSent(before, message, changing.at, waiting?.at ?? null);
  const place = { tenant_id: tenantId, mailbox_id: mailboxId, parsed: parsed.parsed };
  const document = await documentOf(mailboxId, message);
  const storing = rows(keep, [
    JSON.stringify({ ...messageRow(message), ...place }),
    JSON.stringify(attachmentRows(message, parsed.attachments, tenantId)),
    JSON.stringify(conversationRow(conversation)),
    message.receivedAt,
    providerMessageId,
  ]);
  const indexing = keepSearchDocuments(changing, [document]);
  const emitting = emitSent(changing, conversation, message, sequence);
  const [, , hasEvent] = await Promise.all([storing, indexing, emitting, alongside()]);
  return hasEvent;
}

/** @returns whether the event was queued */
const emitSent = (
  changing: Changing,
  conversation: ConversationItem,
  message: Message,
  sequence: number,
): Promise<boolean> =>
  changing.emitInSavepoint(
    {
      type: 'message.sent',
      resource: { type: 'conversation', id: conversation.id },
      sequence,
      data: messageEventData(conversation, message),
    },
    () => [changing.rows(countEvent, [conversation.id])],
  );
