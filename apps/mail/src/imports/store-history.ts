import type { ConversationItem, Placement, Message } from '@postroom/contracts';
import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { importedLabels } from '../conversations/spelled-labels.js';
import {
  factsOf,
  isAddressOf,
  isDuplicateMessage,
  isNewest,
  lockThreads,
  messageOf,
  storeMessages,
  withImported,
  writtenTime,
  type ReceivingMailbox,
  type StoredMessage,
} from '../messages/index.js';
import { storeSearchDocuments } from '../search/search-document.js';
import { suppressReported } from '../stored-suppressions.js';

/** A message that was received or sent elsewhere, and before now. */
export interface HistoricMessage {
  readonly raw: Buffer;
  readonly parsed: ReadMessage;
  /** When it counts as received, ISO 8601, where that is past; null where nothing says it. */
  readonly at: string | null;
  /** True if the mailbox itself has written it; absent if its From says so. */
  readonly isSent?: boolean;
  /** The place where it is kept elsewhere; absent where an export says that, or nothing. */
  readonly placement?: Placement;
}

/** The outcome of storing a historic message. */
export interface HistoryOutcome {
  readonly isDuplicate: boolean;
  /** The message that is here; of a duplicate, the one that it is a copy of, which may be of a send that is open. */
  readonly id: string;
  /** Null where that send begins its conversation. */
  readonly conversationId: string | null;
}

/**
 * Stores messages of the past in their conversations, in their order and each once. None is news: no event, nothing
 * unread, nothing reopened. One that the mailbox itself has written is outbound, and the same as what was sent, or may
 * have been, under its Message-ID. What is searched follows the commit.
 */
export async function storeHistory(
  changing: Changing,
  mailbox: ReceivingMailbox,
  messages: readonly HistoricMessage[],
): Promise<readonly HistoryOutcome[]> {
  // Each time that it fails another has stored a message of the batch.
  for (let left = messages.length; ; left -= 1) {
    try {
      return await changing.manager.transaction(() => storeAll(changing, mailbox, messages));
    } catch (error) {
      if (!isDuplicateMessage(error) || left === 0) throw error;
    }
  }
}

type Owned = HistoricMessage & { readonly isOwn: boolean };

async function storeAll(
  changing: Changing,
  mailbox: ReceivingMailbox,
  messages: readonly HistoricMessage[],
): Promise<readonly HistoryOutcome[]> {
  const owned = messages.map((one) => ({
    ...one,
    isOwn: one.isSent ?? isAddressOf(one.parsed.from, mailbox.address),
  }));
  const batch = new Map<string, Owned>();
  for (const one of owned) if (!batch.has(copyKey(one))) batch.set(copyKey(one), one);
  const { places, conversations } = await lockThreads(changing, mailbox, [...batch.values()]);
  const threads = new Threads(conversations);
  const outcomes = new Map<string, HistoryOutcome>();
  const copied: string[] = [];
  for (const [n, [key, one]] of [...batch].entries()) {
    const { here, conversationId } = places[n] ?? { here: null, conversationId: '' };
    if (here === null) {
      const id = threads.add(await storedAs(changing, mailbox, threads.at(conversationId), one));
      outcomes.set(key, { isDuplicate: false, id, conversationId });
    } else {
      if (one.isOwn && one.parsed.messageId !== null) copied.push(one.parsed.messageId);
      outcomes.set(key, { isDuplicate: true, id: here, conversationId });
    }
  }
  await threads.store(changing, mailbox);
  if (copied.length > 0) await changing.rows(witness, [mailbox.mailboxId, copied]);
  return owned.map((one) => {
    const outcome = outcomes.get(copyKey(one));
    if (!outcome) throw new Error('a message of a batch has no place');
    return batch.get(copyKey(one)) === one ? outcome : { ...outcome, isDuplicate: true };
  });
}

/** Copies of one message have the same key: what the mailbox has sent is known by its Message-ID alone. */
const copyKey = ({ parsed: { messageId, fingerprint }, isOwn }: Owned): string =>
  isOwn && messageId !== null ? messageId : `${messageId} ${fingerprint}`;

/** Keeps that messages of the mailbox's own, which are not stored again, have left: their sends may still be open. */
const witness = statement<object>(
  'conversations.witness_sends',
  `UPDATE send_reservations SET seen_at = now(),
     lease_until = CASE state WHEN 'unknown' THEN now() ELSE lease_until END
   WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = ANY ($3)
     AND state IN ('transmitting', 'unknown')`,
);

async function storedAs(
  changing: Changing,
  mailbox: ReceivingMailbox,
  before: ConversationItem,
  { raw, parsed, at, isOwn, placement }: Owned,
): Promise<StoredMessage> {
  const received = messageOf(parsed, {
    ...(await factsOf(changing, before, parsed)),
    receivedAt: writtenTime(at, changing.at),
    sizeBytes: raw.length,
  });
  const { from, bcc } = parsed;
  const message: Message = isOwn
    ? { ...received, direction: 'outbound', from, bcc: [...bcc] }
    : received;
  const conversation = {
    ...withImported(before, message, changing.at),
    ...placementOf(before, message, placement ?? parsed.gmail?.placement ?? null),
    ...(await importedLabels(changing, before, mailbox.mailboxId, parsed.gmail?.labels ?? [])),
  };
  return { parsed, trace: '', raw, message, before, conversation };
}

/**
 * The place where another server, or an export of Gmail, kept a message. It is that of a conversation that begins with it,
 * or that has only our own mail yet, of which Gmail says nothing; and a later message that is in the inbox brings the whole
 * thread there.
 */
function placementOf(
  before: ConversationItem,
  message: Message,
  placement: Placement | null,
): Partial<Pick<ConversationItem, 'placement'>> {
  if (placement === null) return {};
  const isFirst = before.messageCount === 0 || before.from === null;
  const returns =
    placement === 'inbox' && before.placement === 'archived' && isNewest(before, message);
  return isFirst || returns ? { placement } : {};
}

/**
 * A conversation has the subject of its first message and the sender of the last from outside; an answer ends the
 * waiting of those who wrote before it.
 */
const settle = statement<object>(
  'conversations.settle_imported',
  `UPDATE conversations c SET
     subject = (
       SELECT CASE WHEN m.id = ANY ($4) THEN m.subject ELSE c.subject END FROM messages m
       WHERE m.tenant_id = $1 AND m.conversation_id = c.id ORDER BY m.received_at, m.id LIMIT 1),
     sender = (
       SELECT m.sender FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = c.id
         AND m.direction = 'inbound' AND m.sender IS NOT NULL
         AND lower(m.sender->>'email') IS DISTINCT FROM lower($5)
       ORDER BY m.received_at DESC, m.id DESC LIMIT 1),
     waiting_since = CASE WHEN t.answered IS NULL THEN c.waiting_since ELSE (
       SELECT min(m.received_at) FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = c.id
         AND m.received_at > t.answered AND m.direction = 'inbound'
         AND lower(m.sender->>'email') IS DISTINCT FROM lower($5)
         AND NOT m.is_auto_reply AND NOT m.bounce) END
   FROM unnest($2::text[], $3::timestamptz[]) AS t (id, answered)
   WHERE c.tenant_id = $1 AND c.id = t.id`,
);

/** Completes the reports on messages that were stored after them. */
const nameReported = statement<{ id: string }>(
  'conversations.name_reported',
  `UPDATE messages b SET bounced = b.bounced || jsonb_build_object('of', (
     SELECT o.id FROM messages o WHERE o.tenant_id = $1 AND o.conversation_id = b.conversation_id
       AND o.id = ANY ($3) AND o.message_id = ANY (b.reference_ids)
     ORDER BY o.received_at DESC LIMIT 1))
   WHERE b.tenant_id = $1 AND b.conversation_id = ANY ($2) AND b.bounced->>'of' IS NULL
   RETURNING b.id`,
);

/** The conversations of a batch, message by message. */
class Threads {
  private readonly stored: StoredMessage[] = [];
  /** Those that the order of their messages may have changed, each with the last answer that ends a waiting. */
  private readonly unsettled = new Map<string, string | null>();

  constructor(private readonly conversations: Map<string, ConversationItem>) {}

  at(id: string | null): ConversationItem {
    const found = this.conversations.get(id ?? '');
    if (!found) throw new Error(`conversation ${id} of a thread does not exist`);
    return found;
  }

  /** @returns the id of the message */
  add(stored: StoredMessage): string {
    const { message, before, conversation } = stored;
    this.stored.push(stored);
    this.conversations.set(before.id, conversation);
    const answered = isAnswer(stored) ? message.receivedAt : null;
    if (answered !== null || !isNewest(before, message)) {
      const last = this.unsettled.get(before.id) ?? null;
      const isLater = answered !== null && (last === null || last < answered);
      this.unsettled.set(before.id, isLater ? answered : last);
    }
    return message.id;
  }

  async store(changing: Changing, mailbox: ReceivingMailbox): Promise<void> {
    const { rows } = changing;
    if (this.stored.length === 0) return;
    const messages = this.stored.map(({ message }) => message);
    await storeMessages(changing, mailbox, this.stored);
    await storeSearchDocuments(changing, mailbox.mailboxId, messages);
    const ids = messages.map(({ id }) => id);
    if (this.unsettled.size > 0) {
      const [threads, answered] = [[...this.unsettled.keys()], [...this.unsettled.values()]];
      await rows(settle, [threads, answered, ids, mailbox.address]);
    }
    const sent = messages.filter(({ direction }) => direction === 'outbound');
    const threads = sent.map(({ threadId }) => threadId);
    const named =
      sent.length > 0 ? await rows(nameReported, [threads, sent.map(({ id }) => id)]) : [];
    const reports = messages.filter(({ bounced }) => bounced);
    await suppressReported(
      changing,
      [...reports, ...named].map(({ id }) => id),
    );
  }
}

/** True for a message of ours in a conversation in which a correspondent has waited since before it. */
const isAnswer = ({ message, before: { waitingSince } }: StoredMessage): boolean =>
  message.direction === 'outbound' &&
  waitingSince !== null &&
  Date.parse(waitingSince) <= Date.parse(message.receivedAt);
