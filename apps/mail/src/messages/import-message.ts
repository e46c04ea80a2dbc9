import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { isNewest, withImported, writtenTime } from './conversation-with-message.js';
import { storeInboundMessage } from './receive-message.js';
import { DuplicateMessage, lockThread, type ReceivingMailbox } from './lock-thread.js';
import { messageOf } from './message-of-parsed.js';

const hasSameContent = statement<{ here: boolean }>(
  'conversations.has_same_content',
  `SELECT EXISTS (
     SELECT FROM messages m WHERE m.tenant_id = $1 AND m.mailbox_id = $2 AND m.message_id IS NULL
       AND m.content_fingerprint = $3 AND m.direction = 'inbound') AS here`,
);

/** A conversation has the subject of its first message and the sender of the last from outside. */
const orderImported = statement<object>(
  'conversations.order_imported',
  `UPDATE conversations c SET
     subject = CASE WHEN EXISTS (
       SELECT FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND m.received_at < $4::timestamptz) THEN c.subject ELSE $3 END,
     sender = (
       SELECT m.sender FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND lower(m.sender->>'email') <> lower($5) ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
   WHERE c.tenant_id = $1 AND c.id = $2`,
);

/**
 * Stores an imported message in its conversation, at the time when it was written.
 * @throws what `isDuplicateMessage` knows, when the mailbox has the message already
 */
export async function importMessage(
  changing: Changing,
  mailbox: ReceivingMailbox,
  { raw, parsed }: { readonly raw: Buffer; readonly parsed: ReadMessage },
): Promise<void> {
  if (parsed.messageId === null) await refuseSameContent(changing, mailbox, parsed);
  const before = await lockThread(changing, mailbox, parsed);
  const message = messageOf(parsed, {
    conversationId: before.id,
    receivedAt: writtenTime(parsed.sentAt, changing.at),
    sizeBytes: raw.length,
  });
  const conversation = withImported(before, message, changing.at);
  await storeInboundMessage(changing, { mailbox, parsed, trace: '', raw }, message, conversation);
  if (isNewest(before, message)) return;
  const { id, mailbox: address } = before;
  await changing.rows(orderImported, [id, message.subject, message.receivedAt, address]);
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
