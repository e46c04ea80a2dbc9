import type { ConversationItem, Message, MessageAuth } from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { storeSearchDocuments } from '../search/search-document.js';
import { suppressReported } from '../stored-suppressions.js';
import { receivedTime, withReceived, writtenTime } from './conversation-with-message.js';
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
  /** When another server received it, ISO 8601; absent where that is now. */
  readonly receivedAt?: string;
}

/**
 * Stores a message that a mailbox has received, in its conversation.
 * @returns the message as it is stored
 * @throws what `isDuplicateMessage` knows, when the mailbox has the message already
 */
export async function receiveMessage(
  changing: Changing,
  inbound: InboundMessage,
): Promise<Message> {
  const { parsed, raw, mailbox, auth, receivedAt } = inbound;
  const before = await lockThread(changing, mailbox, parsed);
  const message = messageOf(parsed, {
    ...(await factsOf(changing, before, parsed)),
    receivedAt:
      receivedAt === undefined
        ? receivedTime(before, changing.at)
        : writtenTime(receivedAt, changing.at),
    sizeBytes: raw.length,
    ...(auth && { auth }),
  });
  const conversation = withReceived(before, message);
  const stored = { ...inbound, message, before, conversation };
  const sequence = await storeMessages(changing, mailbox, [stored]);
  await storeSearchDocuments(changing, mailbox.mailboxId, [message]);
  if (message.bounced?.of) await suppressReported(changing, [message.id]);
  await publishInvitation(changing, inbound, message.id);
  if (mailbox.automation) {
    changing.emit({
      type: 'conversation.received',
      resource: { type: 'conversation', id: conversation.id },
      sequence,
      data: messageEventData(conversation, message),
    });
  }
  return message;
}

const findReported = statement<{ id: string }>(
  'conversations.find_reported',
  `SELECT id FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND direction = 'outbound'
     AND (message_id = $3 OR provider_message_id = $3)
   ORDER BY received_at DESC LIMIT 1`,
);

/** The facts of a message that its conversation shows. */
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

/**
 * The tenant of the new rows makes PostgreSQL expect few of them, and look each conversation up by its id; else it
 * reads all conversations of a workspace where most workspaces have few.
 */
const keep = statement<{ sequence: number }>(
  'conversations.store_inbound',
  `WITH message AS (
     INSERT INTO messages SELECT * FROM json_populate_recordset(NULL::messages, $2)
   ), files AS (
     INSERT INTO attachments SELECT * FROM json_populate_recordset(NULL::attachments, $3)
   ), original AS (
     INSERT INTO raw_messages (tenant_id, message, trace, raw)
     SELECT $1, o.id, o.trace, substring($5::bytea FROM o.start + 1 FOR o.length)
     FROM json_to_recordset($4) AS o (id text, trace text, start integer, length integer)
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind, scope)
     SELECT $1, v.at, v.kind, v.scope
     FROM json_to_recordset($6) AS v (at timestamptz, kind text, scope text)
   )
   UPDATE conversations c SET preview = n.preview, placement = n.placement, status = n.status,
     labels = n.labels, unread = n.unread,
     message_count = n.message_count, has_attachments = n.has_attachments,
     participants = n.participants, sender = n.sender, last_message_id = n.last_message_id,
     last_message_at = n.last_message_at, waiting_since = n.waiting_since,
     updated_at = n.updated_at, version = n.version,
     event_sequence = c.event_sequence + n.event_sequence
   FROM json_populate_recordset(NULL::conversations, $7) n
   WHERE c.tenant_id = $1 AND n.tenant_id = c.tenant_id AND c.id = n.id
   RETURNING c.event_sequence AS sequence`,
);

/** A message that is stored, and its conversation before and after it. */
export interface StoredMessage extends Omit<InboundMessage, 'mailbox'> {
  readonly message: Message;
  readonly before: ConversationItem;
  readonly conversation: ConversationItem;
}

/**
 * Stores messages of a mailbox in their order, with their attachments and bytes, each conversation as it is after
 * its last one, and what is counted in the volumes, in one statement.
 * @returns the sequence of the event of one message, if it is published
 */
export async function storeMessages(
  { tenantId, rows }: Changing,
  { mailboxId, automation }: ReceivingMailbox,
  stored: readonly StoredMessage[],
): Promise<number> {
  const place = { tenant_id: tenantId, mailbox_id: mailboxId };
  const messages = stored.map(({ message, parsed: { fingerprint, parsed } }) => ({
    ...{ ...place, ...messageRow(message), content_fingerprint: fingerprint, parsed },
  }));
  const files = stored.flatMap(({ message, parsed: { attachments } }) =>
    attachmentRows(message, attachments, tenantId),
  );
  let start = 0;
  const originals = stored.map(({ message: { id }, trace, raw: { length } }) => {
    start += length;
    return { id, trace, start: start - length, length };
  });
  const [one, ...others] = stored;
  const raw =
    one && others.length === 0 ? one.raw : Buffer.concat(stored.map((message) => message.raw));
  const after = new Map(stored.map(({ conversation }) => [conversation.id, conversation]));
  const event_sequence = automation ? 1 : 0;
  const conversations = [...after.values()].map((conversation) => ({
    ...{ tenant_id: tenantId, ...conversationRow(conversation), event_sequence },
  }));
  const updated = await rows(keep, [
    ...[messages, files, originals].map((list) => JSON.stringify(list)),
    raw,
    JSON.stringify(stored.flatMap(countsOf)),
    JSON.stringify(conversations),
  ]);
  if (updated.length !== after.size) throw new Error('a conversation vanished under its lock');
  return updated[0]?.sequence ?? 0;
}

/** The rows of a message that the volumes count. */
function countsOf({ message, before, conversation }: StoredMessage): object[] {
  const { direction, receivedAt: at } = message;
  const kind = direction === 'inbound' ? 'messages.received' : 'messages.sent';
  const isBack = before.placement === 'archived' && conversation.placement === 'inbox';
  return [
    { at, kind, scope: before.mailbox },
    ...(before.messageCount === 0 ? [{ at, kind: 'conversations.created', scope: '' }] : []),
    ...(isBack ? [{ at, kind: 'conversations.reopened', scope: '' }] : []),
  ];
}
