import type { ReadMessage } from '@postroom/mime';
import { isUniqueViolation, type Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import {
  AlreadyHere,
  datedTime,
  inboundMessage,
  isNewest,
  keepArrival,
  placeArrival,
  type Recipient,
} from '../inbound/index.js';
import { withImported } from './imported-conversation.js';

/** A message of an import; none where it was too large to be kept. */
export type Imported = { readonly raw: Buffer; readonly parsed: ReadMessage } | null;

/** The count of an import that a message adds to. */
export type Outcome = 'imported' | 'duplicates' | 'unparsed';

const nameless = statement<{ here: boolean }>(
  'imports.nameless',
  `SELECT EXISTS (
     SELECT FROM messages m WHERE m.tenant_id = $1 AND m.mailbox_id = $2 AND m.message_id IS NULL
       AND m.content_fingerprint = $3 AND m.direction = 'inbound') AS here`,
);

/** A conversation has the subject of its first message and the sender of the last from outside. */
const putInOrder = statement<object>(
  'imports.put_in_order',
  `UPDATE conversations c SET
     subject = CASE WHEN EXISTS (
       SELECT FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND m.received_at < $4::timestamptz) THEN c.subject ELSE $3 END,
     sender = (
       SELECT m.sender FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2
         AND lower(m.sender->>'email') <> lower($5) ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
   WHERE c.tenant_id = $1 AND c.id = $2`,
);

/** Keeps one message of an import, unless the mailbox has it; what came before it stays either way. */
export async function importMessage(
  changing: Changing,
  recipient: Recipient,
  message: Imported,
): Promise<Outcome> {
  if (message === null) return 'unparsed';
  try {
    // A savepoint: a message that is here already takes back what was begun for it, and no more.
    await changing.manager.transaction(() => keep(changing, recipient, message));
  } catch (error) {
    const isDuplicate =
      error instanceof AlreadyHere || isUniqueViolation(error, 'messages_content');
    if (isDuplicate) return 'duplicates';
    throw error;
  }
  return message.parsed.parsed ? 'imported' : 'unparsed';
}

async function keep(
  changing: Changing,
  recipient: Recipient,
  { raw, parsed }: NonNullable<Imported>,
): Promise<void> {
  if (parsed.messageId === null) await refuseNameless(changing, recipient, parsed);
  const found = await placeArrival(changing, recipient, parsed);
  const message = inboundMessage(parsed, {
    conversationId: found.id,
    receivedAt: datedTime(parsed.sentAt, changing.at),
    sizeBytes: raw.length,
  });
  const conversation = withImported(found, message, changing.at);
  await keepArrival(changing, { recipient, parsed, trace: '', raw }, message, conversation);
  if (isNewest(found, message)) return;
  const { id, mailbox } = found;
  await changing.rows(putInOrder, [id, message.subject, message.receivedAt, mailbox]);
}

/** Without a Message-ID its content alone tells a copy: a file that is imported twice is one. */
async function refuseNameless(
  changing: Changing,
  { mailboxId }: Recipient,
  { fingerprint }: ReadMessage,
): Promise<void> {
  const [found] = await changing.rows(nameless, [mailboxId, fingerprint]);
  if (found?.here) throw new AlreadyHere();
}
