import { ofAnotherThread, Problem } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { SendRequest } from './send-request.js';

/** The conversation a message joins, and the headers by which it does. */
export interface AnsweredThread {
  /** Null: it begins one. */
  readonly conversationId: string | null;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
}

/** More references would not help relays and readers to find the thread. */
const referencesMax = 20;
/** RFC 5322 §2.1.1 bounds a line; a header of several is refused by some from 8 KB on. */
const charactersMax = 4_000;

interface AnsweredMessage {
  /** Null: the message is not there. */
  readonly conversationId: string | null;
  readonly isThere: boolean;
  readonly messageId: string | null;
  readonly references: readonly string[] | null;
}

const find = statement<AnsweredMessage>(
  'sends.answered',
  `SELECT is_there AS "isThere", conversation_id AS "conversationId", message_id AS "messageId",
     reference_ids AS "references"
   FROM answered_message($1, $2, $3, $4)`,
);

/**
 * Finds what a message answers: the one that is named, or the newest of its conversation.
 * @throws Problem CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND, INVALID_REQUEST for a message of another
 * conversation
 */
export async function answeredThread(
  { rows }: Pick<Reading, 'rows'>,
  mailboxId: string,
  { threadId, inReplyTo }: Pick<SendRequest, 'threadId' | 'inReplyTo'>,
): Promise<AnsweredThread> {
  if (threadId === null && inReplyTo === undefined) {
    return { conversationId: null, inReplyTo: null, references: [] };
  }
  const [found] = await rows(find, [mailboxId, threadId, inReplyTo ?? null]);
  if (!found?.isThere) throw new Problem('CONVERSATION_NOT_FOUND');
  if (inReplyTo !== undefined && found.conversationId === null) {
    throw new Problem('MESSAGE_NOT_FOUND');
  }
  if (isElsewhere(found, threadId)) throw ofAnotherThread();
  return { conversationId: found.conversationId ?? threadId, ...headersFor(found) };
}

const isElsewhere = ({ conversationId }: AnsweredMessage, threadId: string | null): boolean =>
  conversationId !== null && threadId !== null && conversationId !== threadId;

function headersFor({
  messageId,
  references,
}: AnsweredMessage): Omit<AnsweredThread, 'conversationId'> {
  if (messageId === null) return { inReplyTo: null, references: [] };
  return { inReplyTo: messageId, references: trimmed([...(references ?? []), messageId]) };
}

/** The first, which names the thread, and the newest: what RFC 5322 §3.6.4 lets be left out is between. */
export function trimmed(ids: readonly string[]): readonly string[] {
  const all = [...new Set(ids)];
  const [first] = all;
  if (first === undefined) return [];
  const newest: string[] = [];
  let characters = first.length;
  for (const id of all.slice(1).toReversed()) {
    characters += id.length + 3;
    if (newest.length + 1 >= referencesMax || characters > charactersMax) break;
    newest.unshift(id);
  }
  return [first, ...newest];
}
