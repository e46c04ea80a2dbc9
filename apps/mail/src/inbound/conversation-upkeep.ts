import type { ConversationItem, Correspondent, Message } from '@postroom/contracts';

const participantsMax = 50;

/**
 * When a message counts as arrived: now, but after the conversation's last one, whatever the clocks
 * of two instances say, so that the order of arrival is the order of the thread.
 */
export function arrivalTime(conversation: ConversationItem, now: Date): string {
  const { messageCount, lastMessageAt } = conversation;
  if (messageCount === 0) return now.toISOString();
  return new Date(Math.max(now.getTime(), Date.parse(lastMessageAt) + 1)).toISOString();
}

/** When a message counts that is kept later than it was written: its date, if that is past, else now. */
export const datedTime = (sentAt: string | null, now: Date): string =>
  sentAt !== null && Date.parse(sentAt) < now.getTime() ? sentAt : now.toISOString();

/** Whether a message is the newest of its conversation. */
export const isNewest = (
  { messageCount, lastMessageAt }: ConversationItem,
  { receivedAt }: Message,
): boolean => messageCount === 0 || Date.parse(receivedAt) >= Date.parse(lastMessageAt);

/**
 * The conversation once a message has arrived in it (`decisions.md` §4). A correspondent who writes
 * again has somebody waiting again: what was closed or pending is open. A machine waits for nobody.
 */
export function withArrival(conversation: ConversationItem, message: Message): ConversationItem {
  const { mailbox, placement, status, messageCount, participants, from, waitingSince } =
    conversation;
  const fromOutside = isOutside(message, mailbox);
  const waits = fromOutside && !message.isAutoReply && !message.bounce;
  return {
    ...conversation,
    preview: message.preview,
    placement: placement === 'archived' ? 'inbox' : placement,
    status: waits ? 'open' : status,
    unread: true,
    messageCount: messageCount + 1,
    hasAttachments: conversation.hasAttachments || message.attachments.some((one) => !one.inline),
    participants: withParticipants(participants, message, mailbox),
    from: fromOutside ? (message.from ?? from) : from,
    lastMessageId: message.id,
    lastMessageAt: message.receivedAt,
    waitingSince: waits ? (waitingSince ?? message.receivedAt) : waitingSince,
    updatedAt: later(conversation.updatedAt, message.receivedAt),
    version: conversation.version + 1,
  };
}

/** Sender and recipients, first come first; the mailbox itself is no participant. */
export function withParticipants(
  known: readonly Correspondent[],
  { from, to, cc }: Message,
  mailbox: string,
): Correspondent[] {
  const participants = [...known];
  const seen = new Set([mailbox, ...known.map(({ email }) => email)].map(folded));
  for (const correspondent of [from, ...to, ...cc]) {
    if (participants.length >= participantsMax) break;
    if (!correspondent || seen.has(folded(correspondent.email))) continue;
    seen.add(folded(correspondent.email));
    participants.push(correspondent);
  }
  return participants;
}

const folded = (email: string): string => email.toLowerCase();
/** Whether a message was not written in the name of the mailbox itself. */
export const isOutside = ({ from }: Message, mailbox: string): boolean =>
  from === null || !isSame(from.email, mailbox);

const isSame = (one: string, other: string): boolean => folded(one) === folded(other);
/** The later of two instants of one spelling. */
export const later = (one: string, other: string): string => (one > other ? one : other);
