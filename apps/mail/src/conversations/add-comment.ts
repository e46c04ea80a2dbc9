import {
  newId,
  Problem,
  quotaExceeded,
  type Author,
  type Comment,
  type CommentOnConversation,
  type ConversationItem,
  type conversations,
} from '@postroom/contracts';
import type { Caller } from '@postroom/access';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns } from '../conversation.view.js';
import { commentDocument } from '../search/words.js';

/** One statement locks, counts and answers the conversation, writes the comment and makes it searchable. */
const writeComment = statement<ConversationItem & { sequence: number; before: number }>(
  'conversations.comment',
  `WITH commented AS (
     UPDATE conversations c SET comment_count = c.comment_count + 1, version = c.version + 1,
       event_sequence = c.event_sequence + 1,
       updated_at = greatest(c.updated_at, $7::timestamptz)
     FROM mailboxes m
     WHERE m.tenant_id = $1 AND m.address = $2
       AND c.tenant_id = $1 AND c.id = $3 AND c.mailbox_id = m.id
     RETURNING c.*
   ), written AS (
     INSERT INTO comments (tenant_id, conversation_id, id, author, text, created_at)
     SELECT $1, c.id, $4, $5::jsonb, $6, $7::timestamptz FROM commented c
   ), counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind)
     SELECT $1, $7::timestamptz, 'comments' FROM commented
   ), searched AS (
     -- PostgreSQL refuses a document over 1 MiB.
     UPDATE search_documents d SET document = d.document || $8::tsvector
     FROM commented c WHERE d.tenant_id = $1 AND d.message = c.last_message_id
       AND pg_column_size(d.document) < 400000
   )
   SELECT ${conversationColumns('c', '$2::text')}, c.event_sequence AS sequence,
     (SELECT coalesce(sum(q.amount), 0)::float8 FROM quota_counters q
      WHERE q.tenant_id = $1 AND q.quota = 'comments') AS before
   FROM commented c`,
);

/**
 * Writes an internal comment and emits its event.
 * @param limit how many comments the workspace may have; those of the last minute are not counted yet
 * @throws Problem CONVERSATION_NOT_FOUND, QUOTA_EXCEEDED
 */
export async function addComment(
  context: Writing<typeof conversations.comment>,
  { id, mailbox, text }: CommentOnConversation,
  limit: number,
): Promise<Comment> {
  const comment: Comment = {
    id: newId('cmt'),
    author: authorOf(context.caller),
    text,
    createdAt: context.at.toISOString(),
  };
  const { author, createdAt } = comment;
  const document = await commentDocument(text);
  const values = [mailbox, id, comment.id, JSON.stringify(author), text, createdAt, document];
  const [commented] = await context.rows(writeComment, values);
  if (!commented) throw new Problem('CONVERSATION_NOT_FOUND');
  const { sequence, before, ...conversation } = commented;
  if (before >= limit) throw quotaExceeded('comments', { limit, used: before });
  context.emit({
    type: 'conversation.commented',
    resource: { type: 'conversation', id },
    sequence,
    data: { conversation, comment },
  });
  return comment;
}

export const authorOf = (caller: Caller): Author =>
  caller.type === 'key'
    ? { type: 'key', id: caller.keyId, name: caller.name, email: caller.member?.email ?? null }
    : { type: 'member', id: caller.memberId, name: caller.name, email: caller.email };
