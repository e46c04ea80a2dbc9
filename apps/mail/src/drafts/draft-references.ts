import { ofAnotherThread, Problem } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** The resources that a draft may refer to. */
export interface DraftReferences {
  readonly threadId: string | null;
  readonly inReplyTo: string | null;
  readonly signatureId: string | null;
}

interface ReferenceRow extends DraftReferences {
  readonly mailboxId: string;
  /** The conversation of the message it answers. */
  readonly answeredThread: string | null;
}

const find = statement<ReferenceRow>(
  'drafts.find_references',
  `SELECT m.id AS "mailboxId", c.id AS "threadId", g.id AS "inReplyTo",
     g.conversation_id AS "answeredThread", s.id AS "signatureId"
   FROM mailboxes m
   LEFT JOIN conversations c ON c.tenant_id = $1 AND c.id = $3 AND c.mailbox_id = m.id
   LEFT JOIN messages g ON g.tenant_id = $1 AND g.id = $4 AND g.mailbox_id = m.id
   LEFT JOIN signatures s ON s.tenant_id = $1 AND s.id = $5
     AND (s.mailbox_id IS NULL OR s.mailbox_id = m.id)
   WHERE m.tenant_id = $1 AND m.address = $2`,
);

/**
 * Finds the mailbox of a draft and what it refers to there; a draft that answers a message is in the
 * thread of that message.
 *
 * @throws Problem MAILBOX_NOT_FOUND, CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND, SIGNATURE_NOT_FOUND,
 * INVALID_REQUEST for a message of another thread
 */
export async function referencesWithin(
  { rows }: Pick<Reading, 'rows'>,
  mailbox: string,
  { threadId, inReplyTo, signatureId }: DraftReferences,
): Promise<DraftReferences & { readonly mailboxId: string }> {
  const [found] = await rows(find, [mailbox, threadId, inReplyTo, signatureId]);
  if (!found) throw new Problem('MAILBOX_NOT_FOUND');
  if (found.threadId !== threadId) throw new Problem('CONVERSATION_NOT_FOUND');
  if (found.inReplyTo !== inReplyTo) throw new Problem('MESSAGE_NOT_FOUND');
  if (found.signatureId !== signatureId) throw new Problem('SIGNATURE_NOT_FOUND');
  const { answeredThread, ...names } = found;
  if (answeredThread === null || threadId === answeredThread) return names;
  if (threadId === null) return { ...names, threadId: answeredThread };
  throw ofAnotherThread();
}
