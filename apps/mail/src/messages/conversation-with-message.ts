import type { ConversationItem, Message, Participant } from '@postroom/contracts';
import { isAddressOf } from './message-of-parsed.js';

const participantsMax = 50;

/**
 * A message counts as received now, but after the conversation's last one, even if the clocks of two
 * instances differ, so that the order of receipt is the order of the thread.
 */
export function receivedTime(conversation: ConversationItem, now: Date): string {
  const { messageCount, lastMessageAt } = conversation;
  if (messageCount === 0) return now.toISOString();
  return new Date(Math.max(now.getTime(), Date.parse(lastMessageAt) + 1)).toISOString();
}

/** The time of a message that is stored later than it was written: its date, if that is past, else now. */
export const writtenTime = (writtenAt: string | null, now: Date): string =>
  writtenAt !== null && Date.parse(writtenAt) < now.getTime() ? writtenAt : now.toISOString();

/** True if a message is the newest of its conversation. */
export const isNewest = (
  { messageCount, lastMessageAt }: ConversationItem,
  { receivedAt }: Message,
): boolean => messageCount === 0 || Date.parse(receivedAt) >= Date.parse(lastMessageAt);

/**
 * The conversation after a message was received in it (`decisions.md` §4). A correspondent who writes
 * again waits for an answer again: a closed or pending conversation is opened. No automatic message
 * waits for an answer.
 */
export function withReceived(conversation: ConversationItem, message: Message): ConversationItem {
  const { placement, status, waitingSince } = conversation;
  // Whatever its From says: forms and lists write in the mailbox's own name.
  const waits = !message.isAutoReply && !message.bounce;
  return {
    ...withMessage(conversation, message, message.receivedAt),
    // Another server may have received it before what is here.
    ...(isNewest(conversation, message) && {
      ...asLastMessage(message),
      from: senderAfter(conversation, message),
    }),
    placement: placement === 'archived' ? 'inbox' : placement,
    status: waits ? 'open' : status,
    unread: true,
    waitingSince: waits ? (waitingSince ?? message.receivedAt) : waitingSince,
  };
}

/**
 * The conversation after a message was imported into it. An imported message is history: it reopens
 * nothing, marks nothing unread, and starts no waiting.
 */
export function withImported(
  conversation: ConversationItem,
  message: Message,
  now: Date,
): ConversationItem {
  return {
    ...withMessage(conversation, message, now.toISOString()),
    ...(isNewest(conversation, message) && {
      ...asLastMessage(message),
      from: senderAfter(conversation, message),
    }),
  };
}

/**
 * The conversation after a message was sent in it: no correspondent waits for an answer any more, except those
 * who have written since.
 *
 * @param waitingSince the time of the first message from outside after this one, if there is one
 */
export function withSent(
  conversation: ConversationItem,
  message: Message,
  now: Date,
  waitingSince: string | null,
): ConversationItem {
  return {
    ...withMessage(conversation, message, now.toISOString()),
    waitingSince,
    ...(isNewest(conversation, message) && { ...asLastMessage(message), unread: false }),
  };
}

/** The changes that every message makes. */
function withMessage(
  conversation: ConversationItem,
  message: Message,
  changedAt: string,
): ConversationItem {
  const { messageCount, hasAttachments, updatedAt, version } = conversation;
  return {
    ...conversation,
    messageCount: messageCount + 1,
    hasAttachments: hasAttachments || message.attachments.some((one) => !one.inline),
    participants: participantsAfter(conversation, message),
    // Both are written in the same way, so that they compare as texts.
    updatedAt: updatedAt > changedAt ? updatedAt : changedAt,
    version: version + 1,
  };
}

/** The fields of a conversation's last message that a list shows. */
const asLastMessage = ({ id, preview, receivedAt }: Message) => ({
  preview,
  lastMessageId: id,
  lastMessageAt: receivedAt,
});

/**
 * Senders, those to whom answers should go, and recipients, in the order of their first message; the mailbox itself
 * is no participant.
 */
function participantsAfter(
  { mailbox, participants: before }: ConversationItem,
  { from, replyTo, to, cc }: Message,
): Participant[] {
  const participants = [...before];
  const seen = new Set([folded(mailbox), ...before.map(keyOf)]);
  for (const correspondent of [from, ...replyTo, ...to, ...cc]) {
    if (participants.length >= participantsMax) break;
    if (!correspondent || seen.has(keyOf(correspondent))) continue;
    seen.add(keyOf(correspondent));
    participants.push(correspondent);
  }
  return participants;
}

/** The key of a participant: the address, or, without any, the name. */
const keyOf = ({ email, name }: Participant): string => folded(email ?? name ?? '');

const senderAfter = ({ from, mailbox }: ConversationItem, message: Message): Participant | null =>
  isFromOutside(message, mailbox) ? (message.from ?? from) : from;

/** True if a message was not written in the name of the mailbox itself. */
const isFromOutside = ({ from }: Message, mailbox: string): boolean => !isAddressOf(from, mailbox);

const folded = (email: string): string => email.toLowerCase();
