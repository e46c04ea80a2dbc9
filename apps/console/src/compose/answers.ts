import type { Conversation, Message } from '@postroom/contracts';
import { addressOf, type Address, type Content } from './content.js';
import { quoteOf } from './quote.js';

export type AnswerKind = 'reply' | 'replyAll' | 'forward';

/** The content that an answer begins with. */
export function answerTo(
  conversation: Conversation,
  kind: AnswerKind,
  signatureId: string | null,
): Content {
  const message = answered(conversation, kind);
  const base = {
    ...{ mailbox: conversation.mailbox, threadId: conversation.id, html: '', signatureId },
    ...{ attachments: [], bcc: [], inReplyTo: message?.id ?? null },
    quote: message ? quoteOf(message, kind) : '',
  };
  const subject = message?.subject ?? conversation.subject;
  if (kind === 'forward') return { ...base, to: [], cc: [], subject: prefixed('Fwd', subject) };
  return {
    ...base,
    ...(message ? recipientsOf(message, conversation.mailbox, kind === 'replyAll') : noRecipients),
    subject: prefixed('Re', subject),
  };
}

const noRecipients = { to: [], cc: [] } as const;

/** The newest message from outside; of a conversation that we began, the newest of all. */
export const answered = ({ messages }: Conversation, kind: AnswerKind): Message | undefined =>
  (kind === 'forward'
    ? undefined
    : messages.findLast(({ direction, bounce }) => direction === 'inbound' && !bounce)) ??
  messages.at(-1);

function recipientsOf(message: Message, own: string, isToAll: boolean): Pick<Content, 'to' | 'cc'> {
  const isOwn = message.direction === 'outbound';
  const from = message.from?.email ? [{ email: message.from.email, name: message.from.name }] : [];
  const main = isOwn ? message.to : message.replyTo.length > 0 ? message.replyTo : from;
  const seen = new Set([own.toLowerCase()]);
  const to = unseen(main, seen);
  if (!isToAll) return { to, cc: [] };
  return { to, cc: unseen([...(isOwn ? [] : message.to), ...message.cc], seen) };
}

/** Addresses that were not there before, each once. */
function unseen(addresses: readonly Address[], seen: Set<string>): Address[] {
  return addresses.flatMap((address) => {
    const key = address.email.toLowerCase();
    if (seen.has(key) || !key.includes('@')) return [];
    seen.add(key);
    return [addressOf(address)];
  });
}

/** True where an answer to all reaches others than one to the sender does. */
export function hasOthers(conversation: Conversation): boolean {
  const message = answered(conversation, 'replyAll');
  return message !== undefined && recipientsOf(message, conversation.mailbox, true).cc.length > 0;
}

const prefixes = { Re: /^re\s{0,9}:/i, Fwd: /^(?:fwd?|wg|tr)\s{0,9}:/i };

const prefixed = (prefix: 'Re' | 'Fwd', subject: string): string =>
  prefixes[prefix].test(subject) ? subject : `${prefix}: ${subject}`.slice(0, 998);
