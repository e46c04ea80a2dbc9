import { erasedAddress, type ErasePerson, type ErasureStep } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { storeSearchDocuments, type Indexed } from '../search/search-document.js';
import { maskedHead } from './masked-head.js';
import { nextMessages, personAddresses, type PersonMessage } from './person-addresses.js';

/** Messages of a step, and bytes of those that stay, whose header is rewritten with all of their row. */
const messagesMax = 50;
const bytesMax = 32 * 1024 * 1024;
/** Bytes of a message in which its header fields are looked for. */
const headBytesMax = 64 * 1024;

const erased = JSON.stringify({ email: erasedAddress, name: null });

const lock = statement<object>(
  'persons.lock_conversations',
  `SELECT id FROM conversations WHERE tenant_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`,
);
const empty = statement<object>('persons.empty_messages', 'SELECT empty_messages($1, $2)');
const mask = statement<object>('persons.mask', 'SELECT mask_person($1, $2, $3, $4, $5, $6, $7)');

const readHeads = statement<{ id: string; head: string }>(
  'persons.read_heads',
  `SELECT message AS id, encode(substring(raw FROM 1 FOR ${headBytesMax}), 'base64') AS head
   FROM raw_messages WHERE tenant_id = $1 AND message = ANY ($2) AND start = 0`,
);
const writeHead = statement<object>(
  'persons.write_head',
  `UPDATE raw_messages SET raw = overlay(raw placing $3 FROM 1)
   WHERE tenant_id = $1 AND message = $2 AND start = 0`,
);

const unindex = statement<object>(
  'persons.unindex',
  'DELETE FROM search_documents WHERE tenant_id = $1 AND message = ANY ($2)',
);
const indexed = statement<Indexed & { readonly mailboxId: string }>(
  'persons.indexed',
  `SELECT m.id, m.conversation_id AS "threadId", ${instant('m.received_at')} AS "receivedAt", m.subject,
     m.sender AS "from", m.recipients AS "to", m.cc, m.reply_to AS "replyTo", m.text, m.html,
     m.mailbox_id AS "mailboxId",
     coalesce((SELECT json_agg(json_build_object('inline', a.inline, 'filename', a.filename))
       FROM attachments a WHERE a.tenant_id = m.tenant_id AND a.message = m.id), '[]') AS attachments,
     (SELECT left(string_agg(k.text, E'\\n' ORDER BY k.created_at), 200000) FROM comments k
       WHERE k.tenant_id = m.tenant_id AND k.conversation_id = c.id AND c.last_message_id = m.id) AS comments
   FROM messages m JOIN conversations c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
   WHERE m.tenant_id = $1 AND m.id = ANY ($2)`,
);

const countDrafts = statement<{ drafts: number }>(
  'persons.count_drafts',
  `SELECT count(*)::int AS drafts FROM drafts d
   WHERE d.tenant_id = $1 AND names_person(d.recipients || d.cc || d.bcc, $2)`,
);
const maskDrafts = statement<{ drafts: number }>(
  'persons.mask_drafts',
  `WITH unsuppressed AS (
     DELETE FROM suppressions s WHERE s.tenant_id = $1 AND s.address = ANY ($2)
   ), masked AS (
     UPDATE drafts d SET recipients = without_person(d.recipients, $2, $3),
       cc = without_person(d.cc, $2, $3), bcc = without_person(d.bcc, $2, $3),
       version = d.version + 1, updated_at = greatest(d.updated_at, $4)
     WHERE d.tenant_id = $1 AND names_person(d.recipients || d.cc || d.bcc, $2) RETURNING 1
   ) SELECT count(*)::int AS drafts FROM masked`,
);

/** After the ids of all messages. */
const drafts = 'drafts';

/** A step of an erasure: some messages, in the last one the drafts, and what is suppressed. @throws Problem OWN_ADDRESS */
export async function erasePerson(
  context: Changing & Pick<Reading, 'rows'>,
  { email, dryRun, after }: ErasePerson,
): Promise<ErasureStep> {
  const none = { messages: 0, mentions: 0, drafts: 0, contacts: 0, events: 0, after: null };
  const addresses = await personAddresses(context, email);
  if (after === drafts) {
    const [found] = dryRun
      ? await context.rows(countDrafts, [addresses])
      : await context.rows(maskDrafts, [addresses, erased, context.at]);
    return { ...none, drafts: found?.drafts ?? 0 };
  }
  const next = await nextMessages(context, addresses, after, messagesMax);
  const found = firstOf(next.found);
  if (!dryRun && found.length > 0) await eraseMessages(context, addresses, found);
  const messages = found.filter(({ isAuthor }) => isAuthor).length;
  const rest = found.length < next.found.length ? found.at(-1)?.id : next.after;
  return { ...none, messages, mentions: found.length - messages, after: rest ?? drafts };
}

/** As many as a step may rewrite, one at least. */
function firstOf(found: readonly PersonMessage[]): readonly PersonMessage[] {
  let bytes = 0;
  const end = found.findIndex(({ isAuthor, sizeBytes }) => {
    bytes += isAuthor ? 0 : sizeBytes;
    return bytes > bytesMax;
  });
  return end < 0 ? found : found.slice(0, Math.max(1, end));
}

async function eraseMessages(
  { rows, at }: Changing,
  addresses: readonly string[],
  found: readonly PersonMessage[],
): Promise<void> {
  const idsOf = (some: readonly PersonMessage[]): string[] => some.map(({ id }) => id);
  const conversations = [...new Set(found.map(({ conversationId }) => conversationId))];
  await rows(lock, [conversations]);
  const emptied = idsOf(found.filter(({ isAuthor }) => isAuthor));
  await rows(empty, [emptied]);
  await rows(mask, [addresses, erased, idsOf(found), emptied, conversations, at]);
  for (const { id, head } of await rows(readHeads, [idsOf(found)])) {
    const masked = maskedHead(Buffer.from(head, 'base64'), addresses);
    if (masked) await rows(writeHead, [id, masked]);
  }
  await rows(unindex, [idsOf(found)]);
  for (const { mailboxId, ...message } of await rows(indexed, [idsOf(found)])) {
    await storeSearchDocuments({ rows }, mailboxId, [message]);
  }
}
