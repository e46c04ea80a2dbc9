import { instant, statement } from '@postroom/persistence';
import { memberOf } from '@postroom/access';
import {
  Problem,
  type Attachment,
  type Comment,
  type Conversation,
  type ConversationItem,
  type GetConversation,
  type Message,
} from '@postroom/contracts';
import { workspaceNow, type Reading } from '@postroom/operations';
import { withContacts } from '../contacts.js';
import { linksOfConversation } from '../links.js';
import { conversationColumns } from '../conversation.view.js';

/**
 * The columns that make a row of `messages` a `Message`, all but its attachments.
 *
 * @param of the row, as SQL
 * @param withBodies whether its bodies are shown, as SQL
 * @param withLists whether its addresses and references are shown, as SQL
 */
export const messageColumns = (of: string, withBodies: string, withLists: string): string => {
  const list = (column: string, none = '[]'): string =>
    `CASE WHEN ${withLists} THEN ${of}.${column} ELSE '${none}' END`;
  const body = (column: string): string => `CASE WHEN ${withBodies} THEN ${of}.${column} END`;
  return `
  ${of}.id, ${of}.conversation_id AS "threadId", ${of}.direction, ${of}.sender AS "from",
  ${list('recipients')} AS "to", ${list('cc')} AS cc, ${list('bcc')} AS bcc,
  ${list('reply_to')} AS "replyTo",
  ${of}.recipients_truncated OR NOT ${withLists} AS "recipientsTruncated", ${of}.subject, ${of}.preview, ${body('text')} AS text,
  ${body('html')} AS html, ${body('extracted_text')} AS "extractedText",
  ${of}.has_remote_content AS "hasRemoteContent", ${instant(`${of}.sent_at`)} AS "sentAt",
  ${instant(`${of}.received_at`)} AS "receivedAt", ${of}.message_id AS "messageId",
  ${of}.in_reply_to AS "inReplyTo", ${list('reference_ids', '{}')} AS "references",
  ${of}.is_auto_reply AS "isAutoReply", ${of}.bounce, ${of}.bounced, ${of}.auth, ${of}.trust, ${of}.invitation, ${of}.priority,
  ${of}.size_bytes AS "sizeBytes", ${of}.provider_message_id AS "providerMessageId",
  ${of}.receipt_source AS "receiptSource", ${of}.created_by AS "createdBy"`;
};

/** The columns that make a row of `attachments` an `Attachment`, and the message it belongs to. */
const attachmentColumns = (of: string): string => `
  ${of}.message, ${of}.id, ${of}.filename, ${of}.mime_type AS "mimeType",
  ${of}.declared_mime_type AS "declaredMimeType", ${of}.size_bytes AS size, ${of}.inline,
  ${of}.content_id AS "contentId"`;

/** Messages that are shown with their bodies: the newest of a thread. */
const bodiesMax = 200;
/** Bytes of the bodies that are shown, and of the addresses, references and files (ADR 39). */
const bytesMax = 32 * 1024 * 1024;

/** A conversation is large with more bytes of bodies, or UTF-16 units of all that a sender may make long. */
export const largeMin = 512 * 1024;
/** Bytes of the bodies of a message, which are read apart if it has more and its conversation is large. */
const apartMin = 16 * 1024;

const bytesOf = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
/** SQL that is true while columns of a message and of all newer ones stay within the bound. */
const fits = (...columns: readonly string[]): string =>
  `sum(${bytesOf(...columns)}) OVER (ORDER BY m.ordinality DESC) <= ${bytesMax}`;
const withBody = `count(*) OVER () - m.ordinality < ${bodiesMax}
  AND ${fits('m.text', 'm.html', 'm.extracted_text')}`;
const lists = ['recipients', 'cc', 'bcc', 'reply_to', 'reference_ids'];
const withLists = fits(...lists.map((list) => `m.${list}::text`), 'f.files');

type ShownMessage = Omit<Message, 'attachments'> & {
  readonly isWhole: boolean;
  readonly areBodiesApart: boolean;
};

/** One row of the answer; the parts come in the order of their kinds, each kind oldest first. */
type Part =
  | {
      readonly kind: 'conversation';
      readonly value: ConversationItem & Pick<Conversation, 'leasedBy'>;
    }
  | { readonly kind: 'message'; readonly value: ShownMessage }
  | { readonly kind: 'attachment'; readonly value: Attachment & { readonly message: string } }
  | { readonly kind: 'comment'; readonly value: Comment };

/** The columns that make a row of `comments` a `Comment`. */
const commentColumns = (of: string): string => `
  ${of}.id, ${of}.author, ${of}.text, ${instant(`${of}.created_at`)} AS "createdAt"`;

/** One statement, so that all parts are of one state of the conversation; bodies that are read apart never change. */
const parts = statement<Part>(
  'conversations.get',
  `WITH files AS MATERIALIZED (SELECT * FROM conversation_attachments($1, $3)),
   thread AS MATERIALIZED (
     SELECT *, with_body AND body_bytes > ${apartMin}
       AND sum(body_bytes) FILTER (WHERE with_body) OVER () > ${largeMin} AS is_apart
     FROM (SELECT m.*, ${withBody} AS with_body, ${withLists} AS with_lists,
       ${bytesOf('m.text', 'm.html', 'm.extracted_text')} AS body_bytes
     FROM conversation_messages($1, $3) WITH ORDINALITY m
     LEFT JOIN (
       SELECT message, string_agg(concat(filename, content_id, mime_type, declared_mime_type), '') AS files
       FROM files GROUP BY message) f ON f.message = m.id) m
   )
   SELECT 'conversation' AS kind, to_json(v) AS value
   FROM (SELECT ${conversationColumns('c', '$2::text', 'snoozed_until($1, $4, $3, $5)')},
       lease_of($1, $3) AS "leasedBy"
     FROM find_conversation($1, $2, $3) c) v
   UNION ALL
   SELECT 'message', to_json(v) FROM (
     SELECT ${messageColumns('m', 'm.with_body AND NOT m.is_apart', 'm.with_lists')},
       m.with_body AND m.with_lists AS "isWhole", m.is_apart AS "areBodiesApart"
     FROM thread m ORDER BY m.ordinality) v
   UNION ALL
   SELECT 'attachment', to_json(v) FROM (
     SELECT ${attachmentColumns('a')} FROM files a JOIN thread m ON m.id = a.message
     WHERE m.with_lists ORDER BY a.message, a.position) v
   UNION ALL
   SELECT 'comment', to_json(v) FROM (
     SELECT ${commentColumns('c')} FROM conversation_comments($1, $3) c) v`,
);

// As the text that is answered: megabytes need not be parsed.
const bodies = statement<{ readonly json: string }>(
  'conversations.bodies',
  `SELECT to_json(b)::text AS json FROM (
     SELECT m.text, m.html, m.extracted_text AS "extractedText"
     FROM conversation_messages($1, $2) m WHERE m.id = $3) b`,
);

/** Reads the bodies of a message, an object as JSON. */
export async function bodiesAsJson(
  { rows }: Reading,
  { id, threadId }: Pick<Message, 'id' | 'threadId'>,
): Promise<string> {
  const [found] = await rows(bodies, [threadId, id]);
  return found?.json ?? '{"text":null,"html":null,"extractedText":null}';
}

/** A conversation, and the messages of a large one whose bodies are read apart. */
export interface ReadConversation {
  readonly conversation: Conversation;
  readonly apart: ReadonlySet<string>;
}

/** Reads a conversation with its messages and comments in one statement. */
export async function wholeConversation(
  context: Reading,
  { id, mailbox }: GetConversation,
): Promise<ReadConversation> {
  const values = [mailbox, id, memberOf(context.caller), await workspaceNow(context)];
  const rows = await context.rows(parts, values);
  const item = rows.find((row) => row.kind === 'conversation')?.value;
  if (!item) throw new Problem('CONVERSATION_NOT_FOUND');
  const [{ contact } = { contact: null }] = await withContacts(context, [item]);
  const attachments = attachmentsByMessage(rows);
  const found = rows.filter((row) => row.kind === 'message').map(({ value }) => value);
  const messages = found.map(({ isWhole: _, areBodiesApart: __, ...message }) => ({
    ...message,
    attachments: attachments.get(message.id) ?? [],
  }));
  const apart = found.filter(({ areBodiesApart }) => areBodiesApart).map((message) => message.id);
  const conversation = {
    ...item,
    contact,
    messages,
    messagesTruncated: !found.every(({ isWhole }) => isWhole),
    comments: rows.filter((row) => row.kind === 'comment').map(({ value }) => value),
    links: await linksOfConversation(context, id),
  };
  return { conversation, apart: new Set(apart) };
}

function attachmentsByMessage(rows: readonly Part[]): ReadonlyMap<string, Attachment[]> {
  const attachments = new Map<string, Attachment[]>();
  for (const row of rows) {
    if (row.kind !== 'attachment') continue;
    const { message, ...attachment } = row.value;
    const ofMessage = attachments.get(message) ?? [];
    attachments.set(message, ofMessage);
    ofMessage.push(attachment);
  }
  return attachments;
}
