import type { ConversationItem, Message, SendReceipt } from '@postroom/contracts';
import type { Changing, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { lockConversation } from '../conversations/index.js';
import {
  arrivalTime,
  attachmentRows,
  conversationRow,
  inboundMessage,
  messageData,
  messageRow,
  placeArrival,
} from '../inbound/index.js';
import type { MailboxRow } from '../outgoing/index.js';
import type { ReadMessage } from '../parsing/index.js';
import { keepSearchDocument } from '../search/index.js';
import { addressesOf, type Outgoing } from './outgoing-message.js';
import { withSent } from './sent-conversation.js';
import type { SendState } from './verdict.js';

/** A message that has left, and how that is known. */
export interface Sent {
  readonly tenantId: string;
  readonly mailbox: MailboxRow;
  readonly idempotencyKey: string;
  /** RFC 5322, without angle brackets. */
  readonly messageId: string;
  readonly outgoing: Outgoing;
  /** The message as its bytes read. */
  readonly parsed: ReadMessage;
  readonly sizeBytes: number;
  readonly rejected: readonly string[];
  /** Where the provider gave it another Message-ID than ours. */
  readonly providerMessageId: string | null;
  readonly receiptSource: SendReceipt['receiptSource'];
}

const lock = statement<{ state: SendState; receipt: SendReceipt | null }>(
  'sends.lock',
  `SELECT state, receipt::json FROM send_reservations
   WHERE tenant_id = $1 AND mailbox_id = $2 AND idempotency_key = $3 FOR UPDATE`,
);

const keep = statement<object>(
  'sends.keep',
  `WITH message AS (
     INSERT INTO messages SELECT * FROM json_populate_record(NULL::messages, $2)
   ), files AS (
     INSERT INTO attachments SELECT * FROM json_populate_recordset(NULL::attachments, $3)
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, mailbox_id, at, sent, created)
     SELECT $1, before.mailbox_id, $5::timestamptz, 1, (before.message_count = 0)::int
     FROM json_populate_record(NULL::conversations, $4) n
     JOIN conversations before ON before.tenant_id = $1 AND before.id = n.id
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

const countEvent = statement<{ sequence: number }>(
  'sends.count_event',
  `UPDATE conversations SET event_sequence = event_sequence + 1 WHERE tenant_id = $1 AND id = $2
   RETURNING event_sequence AS sequence`,
);

const settle = statement<object>(
  'sends.settle',
  `UPDATE send_reservations SET state = 'sent', receipt = $4, outgoing = NULL, said = NULL,
     expires_at = now() + interval '7 days'
   WHERE tenant_id = $1 AND mailbox_id = $2 AND idempotency_key = $3`,
);

/**
 * → sent: the receipt, the message in its conversation, its event and its audit record, in one commit;
 * of all who come to do it, one does. The event stands apart: without it the rest stays.
 * @returns the receipt that was kept
 */
export async function keepSent(work: UnitOfWork, sent: Sent): Promise<SendReceipt> {
  const { actor, source, operation, requestId, message } = sent.outgoing;
  const origin = { tenantId: sent.tenantId, actor, source };
  return work.run(origin, null, async (changing) => {
    const known = await receiptOf(changing, sent);
    if (known) return { value: known };
    const value = await keepMessage(changing, sent);
    const { mailbox, idempotencyKey } = sent;
    await changing.rows(settle, [mailbox.id, idempotencyKey, JSON.stringify(value)]);
    return { value, audit: { action: operation, subjectId: message, requestId } };
  });
}

/** Of one that somebody else has settled meanwhile. */
async function receiptOf(
  { rows }: Changing,
  { mailbox, idempotencyKey, messageId }: Sent,
): Promise<SendReceipt | null> {
  const [found] = await rows(lock, [mailbox.id, idempotencyKey]);
  if (!found || found.state === 'reserved' || found.state === 'failed') {
    throw new Error(`message ${messageId} has left, but its send is ${found?.state ?? 'gone'}`);
  }
  return found.receipt;
}

async function keepMessage(changing: Changing, sent: Sent): Promise<SendReceipt> {
  const { tenantId, mailbox, outgoing, rejected, receiptSource } = sent;
  const found = await conversationOf(changing, sent);
  const message = sentMessage(sent, found, changing.at);
  const conversation = withSent(found, message);
  const place = { tenant_id: tenantId, mailbox_id: mailbox.id };
  await changing.rows(keep, [
    JSON.stringify({
      ...place,
      ...messageRow(message),
      parsed: sent.parsed.parsed,
      searchable: true,
    }),
    JSON.stringify(attachmentRows(message, tenantId)),
    JSON.stringify(conversationRow(conversation)),
    message.receivedAt,
    sent.providerMessageId,
  ]);
  await keepSearchDocument(changing, mailbox.id, message);
  const refused = new Set(rejected);
  const isTold = await tell(changing, conversation, message);
  return {
    id: message.id,
    threadId: conversation.id,
    accepted: addressesOf(outgoing).filter((email) => !refused.has(email)),
    rejected: [...rejected],
    providerMessageId: message.providerMessageId,
    receiptSource,
    dlpStatus: outgoing.dlpStatus,
    ...(!isTold && { webhookDeferred: true }),
  };
}

/** Locked until the commit: the one it was sent in, or where its own id, or an answer, belongs. */
async function conversationOf(
  changing: Changing,
  { mailbox, outgoing, parsed }: Sent,
): Promise<ConversationItem> {
  const { id: mailboxId, address } = mailbox;
  const { conversationId } = outgoing;
  if (conversationId === null) {
    // No fingerprint: a copy of it that came in is another message.
    return placeArrival(changing, { mailboxId, address }, { ...parsed, fingerprint: '' });
  }
  const { mailboxId: _, ...found } = await lockConversation(changing, {
    id: conversationId,
    mailbox: address,
  });
  return found;
}

function sentMessage(sent: Sent, conversation: ConversationItem, at: Date): Message {
  const { outgoing, parsed, mailbox, sizeBytes, messageId, providerMessageId } = sent;
  const { actor } = outgoing;
  const shown = inboundMessage(parsed, {
    conversationId: conversation.id,
    receivedAt: arrivalTime(conversation, at),
    sizeBytes,
  });
  return {
    ...shown,
    id: outgoing.message,
    direction: 'outbound',
    from: { email: mailbox.address, name: shown.from?.name ?? null },
    to: [...outgoing.to],
    cc: [...outgoing.cc],
    bcc: [...outgoing.bcc],
    sentAt: outgoing.sentAt,
    messageId,
    providerMessageId: providerMessageId ?? messageId,
    receiptSource: sent.receiptSource,
    createdBy:
      actor.type === 'system' || actor.id === null ? null : { type: actor.type, id: actor.id },
  };
}

/** @returns whether an event tells of it */
const tell = (
  changing: Changing,
  conversation: ConversationItem,
  message: Message,
): Promise<boolean> =>
  changing.emitApart(async () => {
    const [counted] = await changing.rows(countEvent, [conversation.id]);
    if (!counted) throw new Error(`conversation ${conversation.id} vanished under its lock`);
    return {
      type: 'message.sent',
      resource: { type: 'conversation', id: conversation.id },
      sequence: counted.sequence,
      data: messageData(conversation, message),
    };
  });
