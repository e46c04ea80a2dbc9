import type { ConversationItem, Message } from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { importedLabels } from '../conversations/index.js';
import {
  DuplicateMessage,
  factsOf,
  isAddressOf,
  isNewest,
  lockThread,
  messageOf,
  storeInboundMessage,
  withImported,
  writtenSince,
  writtenTime,
  type ReceivingMailbox,
} from '../messages/index.js';

const hasSameContent = statement<{ here: boolean }>(
  'conversations.has_same_content',
  `SELECT EXISTS (
     SELECT FROM messages m WHERE m.tenant_id = $1 AND m.mailbox_id = $2 AND m.message_id IS NULL
       AND m.content_fingerprint = $3 AND m.direction = 'inbound'
     UNION ALL
     SELECT FROM messages m WHERE m.tenant_id = $1 AND m.mailbox_id = $2 AND m.message_id IS NULL
       AND m.content_fingerprint = $3 AND m.direction = 'outbound') AS here`,
);

const wasSent = statement<{ here: boolean }>(
  'conversations.was_sent',
  `SELECT EXISTS (
     SELECT FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
       AND m.direction = 'outbound' AND (m.message_id = $3 OR m.provider_message_id = $3)
     UNION ALL
     SELECT FROM send_reservations r WHERE r.tenant_id = $1 AND r.mailbox_id = $4
       AND r.message_id = $3 AND r.state IN ('transmitting', 'unknown')) AS here`,
);

const witness = statement<object>(
  'conversations.witness_send',
  `UPDATE send_reservations SET seen_at = now(),
     lease_until = CASE state WHEN 'unknown' THEN now() ELSE lease_until END
   WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = $3 AND state IN ('transmitting', 'unknown')`,
);

/** Keeps that a message of the mailbox's own, which is not stored again, has left: its send may still be open. */
export async function witnessSend(
  { rows }: Pick<Changing, 'rows'>,
  { mailboxId, address }: ReceivingMailbox,
  { messageId, from }: ReadMessage,
): Promise<void> {
  if (messageId !== null && isAddressOf(from, address)) await rows(witness, [mailboxId, messageId]);
}

/** A conversation has the subject of its first message and the sender of the last from outside. */
const orderImported = statement<object>(
  'conversations.order_imported',
  `UPDATE conversations c SET
     subject = CASE WHEN EXISTS (
       SELECT FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND m.received_at < $4::timestamptz) THEN c.subject ELSE $3 END,
     sender = (
       SELECT m.sender FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND m.direction = 'inbound' AND m.sender IS NOT NULL
         AND lower(m.sender->>'email') IS DISTINCT FROM lower($5)
       ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
   WHERE c.tenant_id = $1 AND c.id = $2`,
);

/** A message of an import. */
export interface Imported {
  readonly raw: Buffer;
  readonly parsed: ReadMessage;
  /** When the file says that it was received; null where it does not. */
  readonly receivedAt: string | null;
}

/**
 * Stores an imported message in its conversation, at the time when it was written, or else received. One that the
 * mailbox itself has written is outbound, and the same as what was sent, or may have been, under its Message-ID.
 * @throws what `isDuplicateMessage` knows, when the mailbox has the message already
 */
export async function importMessage(
  changing: Changing,
  mailbox: ReceivingMailbox,
  { raw, parsed, receivedAt }: Imported,
): Promise<void> {
  if (parsed.messageId === null) await refuseSameContent(changing, mailbox, parsed);
  const before = await lockThread(changing, mailbox, parsed);
  const isOwn = isAddressOf(parsed.from, before.mailbox);
  if (isOwn) await refuseSent(changing, mailbox, before, parsed);
  const received = messageOf(parsed, {
    ...(await factsOf(changing, before, parsed)),
    receivedAt: writtenTime(timeOf(parsed, receivedAt), changing.at),
    sizeBytes: raw.length,
  });
  const message = isOwn ? sentMessage(received, parsed) : received;
  const conversation = {
    ...withImported(before, message, changing.at),
    ...(isOwn && { waitingSince: await waitingAfter(changing, before, message) }),
    ...placementOf(before, message, parsed),
    ...(await importedLabels(changing, before, mailbox.mailboxId, parsed.gmail?.labels ?? [])),
  };
  await storeInboundMessage(changing, { mailbox, parsed, trace: '', raw }, message, conversation);
  if (isNewest(before, message)) return;
  const { id, mailbox: address } = before;
  await changing.rows(orderImported, [id, message.subject, message.receivedAt, address]);
}

/** The time of a message: its date, else what its file or its newest trace header says. */
const timeOf = ({ sentAt, tracedAt }: ReadMessage, receivedAt: string | null): string | null =>
  sentAt ?? receivedAt ?? tracedAt ?? null;

const sentMessage = (message: Message, { from, bcc }: ReadMessage): Message => ({
  ...message,
  direction: 'outbound',
  from,
  bcc: [...bcc],
});

/**
 * The place where a Gmail export kept a message. It is that of a conversation that begins with it, or that has only our own mail
 * yet, of which Gmail says nothing; and a later message that is in the inbox brings the whole thread there.
 */
function placementOf(
  before: ConversationItem,
  message: Message,
  { gmail }: ReadMessage,
): Partial<Pick<ConversationItem, 'placement'>> {
  const placement = gmail?.placement ?? null;
  if (placement === null) return {};
  const isFirst = before.messageCount === 0 || before.from === null;
  const returns =
    placement === 'inbox' && before.placement === 'archived' && isNewest(before, message);
  return isFirst || returns ? { placement } : {};
}

/** An answer ends the waiting of those who wrote before it. */
async function waitingAfter(
  { rows }: Changing,
  { id, mailbox, waitingSince }: ConversationItem,
  { receivedAt }: Message,
): Promise<string | null> {
  if (waitingSince === null || Date.parse(waitingSince) > Date.parse(receivedAt))
    return waitingSince;
  const [waiting] = await rows(writtenSince, [id, receivedAt, mailbox]);
  return waiting?.at ?? null;
}

/** Only its content identifies a copy of a message without Message-ID, so that a file can be imported twice. */
async function refuseSameContent(
  changing: Changing,
  { mailboxId }: ReceivingMailbox,
  { fingerprint }: ReadMessage,
): Promise<void> {
  const [found] = await changing.rows(hasSameContent, [mailboxId, fingerprint]);
  if (found?.here) throw new DuplicateMessage();
}

async function refuseSent(
  { rows }: Changing,
  { mailboxId }: ReceivingMailbox,
  { id }: ConversationItem,
  { messageId }: ReadMessage,
): Promise<void> {
  if (messageId === null) return;
  const [found] = await rows(wasSent, [id, messageId, mailboxId]);
  if (found?.here) throw new DuplicateMessage();
}
