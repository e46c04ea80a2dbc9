import {
  newId,
  wireAddress,
  type ConversationItem,
  type Message,
  type SendReceipt,
} from '@postroom/contracts';
import type { Changing, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns, instant } from '../conversations/index.js';
import {
  ancestorsOf,
  attachmentRows,
  conversationRow,
  datedTime,
  inboundMessage,
  isNewest,
  messageData,
  messageRow,
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
  /** Recipients that the server refused, as SMTP carries addresses. */
  readonly rejected: readonly string[];
  /** Where the provider gave it another Message-ID than ours. */
  readonly providerMessageId: string | null;
  readonly receiptSource: SendReceipt['receiptSource'];
}

type Placed = ConversationItem & {
  readonly state: SendState | null;
  readonly receipt: SendReceipt | null;
  readonly sequence: number;
};

const place = statement<Placed>(
  'sends.place',
  `SELECT state, receipt::json, (p.conversation).event_sequence AS sequence,
     ${conversationColumns('(p.conversation)', '$10::text')}
   FROM place_sent($1, $2, $3, $4, $5, $6, $7, $8, $9) p`,
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

/** When somebody outside wrote first after a time. */
const writtenSince = statement<{ at: string }>(
  'sends.written_since',
  `SELECT ${instant('min(received_at)')} AS at FROM messages
   WHERE tenant_id = $1 AND conversation_id = $2 AND received_at > $3 AND direction = 'inbound'
     AND lower(sender->>'email') IS DISTINCT FROM lower($4)
     AND NOT is_auto_reply AND NOT bounce
   HAVING count(*) > 0`,
);

const countEvent = statement<object>(
  'sends.count_event',
  `UPDATE conversations SET event_sequence = event_sequence + 1 WHERE tenant_id = $1 AND id = $2`,
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
    const { state, receipt, sequence, ...found } = await placed(changing, sent);
    if (receipt) return { value: receipt };
    if (state !== 'transmitting' && state !== 'unknown') {
      throw new Error(`message ${sent.messageId} has left, but its send is ${state ?? 'gone'}`);
    }
    const value = await keepMessage(changing, sent, found, sequence + 1);
    return { value, audit: { action: operation, subjectId: message, requestId } };
  });
}

/** What of the send is known, and the conversation that the message belongs to; both are locked. */
async function placed(changing: Changing, sent: Sent): Promise<Placed> {
  const { mailbox, idempotencyKey, outgoing, messageId, parsed } = sent;
  const [found] = await changing.rows(place, [
    ...[mailbox.id, idempotencyKey, outgoing.conversationId, newId('cnv'), messageId],
    ...[ancestorsOf({ ...parsed, messageId }), parsed.subject, changing.at, mailbox.address],
  ]);
  if (!found) throw new Error(`message ${messageId} has left, but its conversation is gone`);
  return found;
}

/** In one trip, unless the event cannot be queued, or mail has come since the message was written. */
async function keepMessage(
  changing: Changing,
  sent: Sent,
  found: ConversationItem,
  sequence: number,
): Promise<SendReceipt> {
  const { tenantId, mailbox, idempotencyKey } = sent;
  const { rows } = changing;
  const message = sentMessage(sent, found, changing.at);
  const [waiting] = isNewest(found, message)
    ? []
    : await rows(writtenSince, [found.id, message.receivedAt, mailbox.address]);
  const conversation = withSent(found, message, changing.at, waiting?.at ?? null);
  const place = { tenant_id: tenantId, mailbox_id: mailbox.id, parsed: sent.parsed.parsed };
  const receipt = receiptOf(sent, message);
  const settled = (value: SendReceipt): Promise<unknown> =>
    rows(settle, [mailbox.id, idempotencyKey, JSON.stringify(value)]);
  const keeping = rows(keep, [
    JSON.stringify({ ...messageRow(message), ...place }),
    JSON.stringify(attachmentRows(message, sent.parsed.attachments, tenantId)),
    JSON.stringify(conversationRow(conversation)),
    message.receivedAt,
    sent.providerMessageId,
  ]);
  const indexing = keepSearchDocument(changing, mailbox.id, message);
  const telling = tell(changing, conversation, message, sequence);
  // Without the event it fails too: it stands behind it in the transaction.
  const settling = settled(receipt);
  const [, , isTold] = await Promise.all([keeping, indexing, telling, settling.catch(() => null)]);
  if (isTold) {
    await settling;
    return receipt;
  }
  const deferred = { ...receipt, webhookDeferred: true };
  await settled(deferred);
  return deferred;
}

function receiptOf({ outgoing, rejected, receiptSource }: Sent, message: Message): SendReceipt {
  const refused = new Set(rejected);
  const isRefused = (email: string): boolean => refused.has(wireAddress(email));
  const addresses = addressesOf(outgoing);
  return {
    id: message.id,
    threadId: message.threadId,
    accepted: addresses.filter((email) => !isRefused(email)),
    rejected: addresses.filter(isRefused),
    providerMessageId: message.providerMessageId,
    receiptSource,
    dlpStatus: outgoing.dlpStatus,
  };
}

function sentMessage(sent: Sent, conversation: ConversationItem, at: Date): Message {
  const { outgoing, parsed, mailbox, sizeBytes, messageId, providerMessageId } = sent;
  const { actor, declaredTypes = [] } = outgoing;
  const shown = inboundMessage(parsed, {
    conversationId: conversation.id,
    // Where it is settled late, or mail came meanwhile, it stands before that in the thread.
    receivedAt: datedTime(outgoing.writtenAt ?? null, at),
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
    // The message says what its files are; what they were called is the sender's word alone.
    attachments: shown.attachments.map((file, i) => ({
      ...file,
      declaredMimeType: declaredTypes[i] ?? null,
    })),
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
  sequence: number,
): Promise<boolean> =>
  changing.emitInSavepoint(
    {
      type: 'message.sent',
      resource: { type: 'conversation', id: conversation.id },
      sequence,
      data: messageData(conversation, message),
    },
    () => [changing.rows(countEvent, [conversation.id])],
  );
