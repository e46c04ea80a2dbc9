import {
  newId,
  wireAddress,
  type ConversationItem,
  type Message,
  type SendReceipt,
} from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';
import type { Changing, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { addSentMessage, ancestorsOf, messageOf, writtenTime } from '../messages/index.js';
import { conversationColumns } from '../conversation.view.js';
import type { SendingMailbox } from '../outgoing/index.js';
import { addressesOf, type Outgoing } from './send-request.js';
import type { SendState } from './verdict.js';

/** A message that has left, and the evidence for that. */
export interface AcceptedMessage {
  readonly tenantId: string;
  readonly mailbox: SendingMailbox;
  readonly idempotencyKey: string;
  /** RFC 5322, without angle brackets. */
  readonly messageId: string;
  readonly outgoing: Outgoing;
  /** The message as its bytes read. */
  readonly parsed: ReadMessage;
  readonly sizeBytes: number;
  /** Recipients that the server refused, as SMTP carries addresses. */
  readonly rejected: readonly string[];
  /** The provider's Message-ID if it replaced ours. */
  readonly providerMessageId: string | null;
  readonly receiptSource: SendReceipt['receiptSource'];
}

type LockedSend = ConversationItem & {
  readonly state: SendState | null;
  readonly receipt: SendReceipt | null;
  readonly sequence: number;
};

const place = statement<LockedSend>(
  'sends.place',
  `SELECT state, receipt::json, (p.conversation).event_sequence AS sequence,
     ${conversationColumns('(p.conversation)', '$10::text')}
   FROM place_sent($1, $2, $3, $4, $5, $6, $7, $8, $9) p`,
);

const markSent = statement<object>(
  'sends.mark_sent',
  `UPDATE send_reservations SET state = 'sent', receipt = $4, outgoing = NULL, said = NULL,
     expires_at = now() + interval '7 days'
   WHERE tenant_id = $1 AND mailbox_id = $2 AND idempotency_key = $3`,
);

const removeDraft = statement<object>(
  'sends.remove_draft',
  'SELECT remove_sent_draft($1, $2, $3, $4)',
);

/**
 * → sent: stores the receipt, the message in its conversation, its event and its audit record in one
 * commit; concurrent calls do it once. Where the event cannot be queued, the rest is stored without it.
 * @returns the receipt that was stored
 */
export async function recordSent(work: UnitOfWork, sent: AcceptedMessage): Promise<SendReceipt> {
  const { actor, source, operation, requestId, message } = sent.outgoing;
  const origin = { tenantId: sent.tenantId, actor, source };
  return work.change(origin, null, async (changing) => {
    // Locked before the conversation, as drafts' own changes do.
    const { draft } = sent.outgoing;
    if (draft !== undefined) await changing.rows(removeDraft, [draft, newId('evn'), changing.at]);
    const { state, receipt, sequence, ...found } = await placed(changing, sent);
    if (receipt) return { value: receipt };
    if (state !== 'transmitting' && state !== 'unknown') {
      throw new Error(`message ${sent.messageId} has left, but its send is ${state ?? 'gone'}`);
    }
    const value = await storeSent(changing, sent, found, sequence + 1);
    return { value, audit: { action: operation, subjectId: message, requestId } };
  });
}

/** The state of the send, and the conversation that the message belongs to; both are locked. */
async function placed(changing: Changing, sent: AcceptedMessage): Promise<LockedSend> {
  const { mailbox, idempotencyKey, outgoing, messageId, parsed } = sent;
  const [found] = await changing.rows(place, [
    mailbox.id,
    idempotencyKey,
    outgoing.conversationId,
    newId('cnv'),
    messageId,
    ancestorsOf({ ...parsed, messageId }),
    parsed.subject,
    changing.at,
    mailbox.address,
  ]);
  if (!found) throw new Error(`message ${messageId} has left, but its conversation is gone`);
  return found;
}

/** The receipt says whether an event was queued, which is known only once the message is stored. */
async function storeSent(
  changing: Changing,
  sent: AcceptedMessage,
  conversation: ConversationItem,
  sequence: number,
): Promise<SendReceipt> {
  const { mailbox, idempotencyKey, parsed, providerMessageId } = sent;
  const message = sentMessage(sent, conversation, changing.at);
  const receipt = receiptOf(sent, message);
  const markAsSent = (value: SendReceipt): Promise<unknown> =>
    changing.rows(markSent, [mailbox.id, idempotencyKey, JSON.stringify(value)]);
  let marking: Promise<unknown> | undefined;
  const hasEvent = await addSentMessage(
    changing,
    { mailboxId: mailbox.id, message, parsed, conversation, providerMessageId, sequence },
    () => {
      marking = markAsSent(receipt);
      // It fails with the event, which stands before it in the transaction.
      return marking.catch(() => undefined);
    },
  );
  if (hasEvent) {
    await marking;
    return receipt;
  }
  const deferred = { ...receipt, webhookDeferred: true };
  await markAsSent(deferred);
  return deferred;
}

function receiptOf(
  { outgoing, rejected, receiptSource }: AcceptedMessage,
  message: Message,
): SendReceipt {
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

function sentMessage(sent: AcceptedMessage, conversation: ConversationItem, at: Date): Message {
  const { outgoing, parsed, mailbox, sizeBytes, messageId, providerMessageId } = sent;
  const { actor, declaredTypes = [] } = outgoing;
  const shown = messageOf(parsed, {
    conversationId: conversation.id,
    // If it is recorded late, or mail came meanwhile, it stands before that mail in the thread.
    receivedAt: writtenTime(outgoing.writtenAt ?? null, at),
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
