import type { ConversationItem, Message, MessageAuth } from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { storeSearchDocument } from '../search/search-document.js';
import { receivedTime, withReceived } from './conversation-with-message.js';
import { lockThread, type ReceivingMailbox } from './lock-thread.js';
import { messageEventData, publishInvitation } from './message-events.js';
import { messageOf, type MessageFacts } from './message-of-parsed.js';
import { attachmentRows, conversationRow, messageRow } from './message-rows.js';

/** A message that one mailbox has received, or that is imported into it. */
export interface InboundMessage {
  readonly mailbox: ReceivingMailbox;
  readonly parsed: ReadMessage;
  /** The trace header that its delivery added (RFC 5321 §4.4), lines ended with CRLF. */
  readonly trace: string;
  /** Its bytes as they came. */
  readonly raw: Buffer;
  /** Absent if its sender was not checked. */
  readonly auth?: MessageAuth;
  /** True where DKIM or SPF passes for the domain of its sender. */
  readonly isAligned?: boolean;
}

/**
 * Stores a message that a mailbox has received, in its conversation.
 * @returns the id of the conversation
 * @throws what `isDuplicateMessage` knows, when the mailbox has the message already
 */
export async function receiveMessage(changing: Changing, inbound: InboundMessage): Promise<string> {
  const { parsed, raw, mailbox, auth } = inbound;
  const before = await lockThread(changing, mailbox, parsed);
  const message = messageOf(parsed, {
    ...(await factsOf(changing, before, parsed)),
    receivedAt: receivedTime(before, changing.at),
    sizeBytes: raw.length,
    ...(auth && { auth }),
  });
  const conversation = withReceived(before, message);
  const sequence = await storeInboundMessage(changing, inbound, message, conversation);
  await publishInvitation(changing, inbound, message.id);
  if (mailbox.automation) {
    changing.emit({
      type: 'conversation.received',
      resource: { type: 'conversation', id: conversation.id },
      sequence,
      data: messageEventData(conversation, message),
    });
  }
  return conversation.id;
}

const findReported = statement<{ id: string }>(
  'conversations.find_reported',
  `SELECT id FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND direction = 'outbound'
     AND (message_id = $3 OR provider_message_id = $3)
   ORDER BY received_at DESC LIMIT 1`,
);

/** The facts of a message that its conversation tells. */
export async function factsOf(
  { rows }: Pick<Changing, 'rows'>,
  { id, mailbox, messageCount }: ConversationItem,
  { bounced }: ReadMessage,
): Promise<Pick<MessageFacts, 'conversationId' | 'mailbox' | 'isKnownThread' | 'reportedOn'>> {
  const isKnownThread = messageCount > 0;
  const reported = isKnownThread ? bounced?.messageId : null;
  const [of] = reported ? await rows(findReported, [id, reported]) : [];
  return { conversationId: id, mailbox, isKnownThread, reportedOn: of?.id ?? null };
}

const keep = statement<{ sequence: number }>(
  'conversations.store_inbound',
  `WITH message AS (
     INSERT INTO messages SELECT * FROM json_populate_record(NULL::messages, $2::json)
   ), files AS (
     INSERT INTO attachments SELECT * FROM json_populate_recordset(NULL::attachments, $3)
   ), original AS (
     INSERT INTO raw_messages (tenant_id, message, trace, raw) VALUES ($1, $4, $5, $6)
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind, scope)
     SELECT $1, $8::timestamptz, v.kind, v.scope
     FROM json_populate_record(NULL::conversations, $7) n
     JOIN conversations before ON before.tenant_id = $1 AND before.id = n.id
     JOIN mailboxes m ON m.tenant_id = $1 AND m.id = before.mailbox_id
     CROSS JOIN LATERAL (VALUES
       (CASE WHEN $2::json->>'direction' = 'inbound' THEN 'messages.received' ELSE 'messages.sent' END,
         m.address, true),
       ('conversations.created', '', before.message_count = 0),
       ('conversations.reopened', '', before.placement = 'archived' AND n.placement = 'inbox')
     ) AS v (kind, scope, happened)
     WHERE v.happened
   )
   UPDATE conversations c SET preview = n.preview, placement = n.placement, status = n.status,
     labels = n.labels, unread = n.unread,
     message_count = n.message_count, has_attachments = n.has_attachments,
     participants = n.participants, sender = n.sender, last_message_id = n.last_message_id,
     last_message_at = n.last_message_at, waiting_since = n.waiting_since,
     updated_at = n.updated_at, version = n.version,
     event_sequence = c.event_sequence + n.event_sequence
   FROM json_populate_record(NULL::conversations, $7) n
   WHERE c.tenant_id = $1 AND c.id = n.id
   RETURNING c.event_sequence AS sequence`,
);

/**
 * Stores a message with its attachments and its bytes, the conversation as it is after it, and what is
 * counted in the volumes, in one statement; then what is searched.
 * @returns the sequence of its event, if one is published
 */
export async function storeInboundMessage(
  changing: Changing,
  { mailbox, parsed, trace, raw }: InboundMessage,
  message: Message,
  conversation: ConversationItem,
): Promise<number> {
  const { tenantId, rows } = changing;
  const { mailboxId, automation } = mailbox;
  const place = { tenant_id: tenantId, mailbox_id: mailboxId };
  const row = {
    ...messageRow(message),
    content_fingerprint: parsed.fingerprint,
    parsed: parsed.parsed,
  };
  const [updated] = await rows(keep, [
    JSON.stringify({ ...place, ...row }),
    JSON.stringify(attachmentRows(message, parsed.attachments, tenantId)),
    message.id,
    trace,
    raw,
    JSON.stringify({ ...conversationRow(conversation), event_sequence: automation ? 1 : 0 }),
    message.receivedAt,
  ]);
  if (!updated) throw new Error(`conversation ${conversation.id} vanished under its lock`);
  await storeSearchDocument(changing, mailboxId, message);
  return updated.sequence;
}
