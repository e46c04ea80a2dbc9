import type { ConversationItem } from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { ParsedMessage, ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { isUniqueViolation } from '@postroom/operations/faults';
import { statement } from '@postroom/persistence';
import { conversationColumns } from '../conversation.view.js';

const place = statement<{ duplicate: boolean; conversationId: string }>(
  'conversations.place_message',
  `SELECT duplicate, conversation_id AS "conversationId"
   FROM place_message($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const lock = statement<ConversationItem>(
  'conversations.lock_thread',
  `SELECT ${conversationColumns('c', '$3::text')} FROM conversations c
   WHERE c.tenant_id = $1 AND c.id = $2 FOR NO KEY UPDATE`,
);

/** A mailbox that receives a message. */
export interface ReceivingMailbox {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly address: string;
  /** True if an event is published for the messages that it receives. */
  readonly automation: boolean;
}

/** Rolls back what was begun for a message that the mailbox has already. */
export class DuplicateMessage extends Error {
  override readonly name = 'DuplicateMessage';
}

/**
 * True if a message was not stored because the mailbox has it already. The unique index finds the case that
 * `lockThread` cannot: two copies at once of a message whose reply was received before it.
 */
export const isDuplicateMessage = (error: unknown): boolean =>
  error instanceof DuplicateMessage || isUniqueViolation(error, 'messages_content');

/**
 * Finds the conversation that a message belongs to, or begins one, and locks it until the commit.
 * @throws DuplicateMessage when the mailbox has the message already
 */
export async function lockThread(
  changing: Changing,
  { mailboxId, address }: Pick<ReceivingMailbox, 'mailboxId' | 'address'>,
  parsed: ReadMessage,
): Promise<ConversationItem> {
  const [placed] = await changing.rows(place, [
    mailboxId,
    parsed.messageId,
    parsed.fingerprint,
    ancestorsOf(parsed),
    newId('cnv'),
    parsed.subject,
    changing.at,
  ]);
  if (!placed || placed.duplicate) throw new DuplicateMessage();
  const [found] = await changing.rows(lock, [placed.conversationId, address]);
  if (!found) throw new Error(`conversation ${placed.conversationId} of a thread does not exist`);
  return found;
}

const placeAll = statement<Placed>(
  'conversations.place_messages',
  `SELECT here, conversation_id AS "conversationId" FROM place_messages($1, $2, $3, $4) ORDER BY n`,
);

const lockAll = statement<ConversationItem>(
  'conversations.lock_threads',
  `SELECT ${conversationColumns('c', '$3::text')} FROM conversations c
   WHERE c.tenant_id = $1 AND c.id = ANY ($2) ORDER BY c.id FOR NO KEY UPDATE`,
);

/** The place of a message of a batch. */
export interface Placed {
  /** The message that it is a copy of; null where the mailbox has none. */
  readonly here: string | null;
  /** Null where that is of a send that has begun no conversation yet. */
  readonly conversationId: string | null;
}

/** A message of a batch, and whether the mailbox itself has written it. */
interface Arriving {
  readonly parsed: ReadMessage;
  readonly isOwn: boolean;
}

/**
 * Places messages of which none is a copy of another, and locks their conversations until the commit.
 * @throws what `isDuplicateMessage` knows, when one came to be here meanwhile: another try finds it
 */
export async function lockThreads(
  changing: Changing,
  { mailboxId, address }: Pick<ReceivingMailbox, 'mailboxId' | 'address'>,
  batch: readonly Arriving[],
): Promise<{
  /** In the order of the messages. */
  readonly places: readonly Placed[];
  readonly conversations: Map<string, ConversationItem>;
}> {
  const messages = batch.map(({ parsed, isOwn }, n) => {
    const { messageId, fingerprint, subject } = parsed;
    const candidate = newId('cnv');
    return { n, isOwn, messageId, fingerprint, subject, candidate, ancestors: ancestorsOf(parsed) };
  });
  const values = [mailboxId, JSON.stringify(messages), changing.at];
  const places = await changing.rows(placeAll, values);
  const ids = places.flatMap((one) => (one.here === null ? one.conversationId : []));
  const locked = await changing.rows(lockAll, [[...new Set(ids)], address]);
  return { places, conversations: new Map(locked.map((one) => [one.id, one])) };
}

/**
 * The Message-IDs a message answers, the one that decides first: References from the nearest ancestor
 * to the farthest (RFC 5322 §3.6.4 lists them oldest first), then In-Reply-To. Never the subject.
 */
export function ancestorsOf(
  message: Pick<ParsedMessage, 'messageId' | 'inReplyTo' | 'references'>,
): string[] {
  const { messageId, inReplyTo, references } = message;
  const ancestors = new Set(references.toReversed());
  if (inReplyTo !== null) ancestors.add(inReplyTo);
  if (messageId !== null) ancestors.delete(messageId);
  return [...ancestors];
}
