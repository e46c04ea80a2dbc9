import type {
  Attachment,
  Comment,
  Conversation,
  ConversationAnswer,
  Message,
  MessageBounced,
} from '@postroom/contracts';
import type { JsonObject } from '../json.js';
import { fenced, fenceFor, untrustedMeta, type Presented } from './presented.js';
import { correspondent, shownLabels, visibleLine, visibleText } from './visible-text.js';
import { pageOf, type Slice } from './text-pages.js';

const linesMax = 300;
const namesMax = 200;
const addressesMax = 20;
const filesMax = 50;
const commentsMax = 50;
const commentMax = 2_000;

/** A message with the text that is shown of it. */
interface Shown {
  readonly message: Message;
  readonly text: string;
}

/**
 * A conversation as a model reads it: a part of its messages as visible plain text, each fenced, and
 * where to read on.
 */
export function conversationResult(answer: JsonObject, paging: JsonObject): Presented {
  const { conversation } = answer as unknown as ConversationAnswer;
  const isWholeText = paging['wholeText'] === true;
  const offset = typeof paging['offset'] === 'number' ? paging['offset'] : 0;
  const all = conversation.messages.map((message): Shown => ({
    message,
    text: isWholeText ? wholeTextOf(message) : newTextOf(message),
  }));
  const { slices, nextOffset } = pageOf(all, offset);
  const plain = { ...aboutConversation(conversation), nextOffset };
  const messages = slices.map(({ item, ...slice }) =>
    aboutMessage(item.message, slice, isWholeText),
  );
  const fence = fenceFor(JSON.stringify([plain, messages]));
  const structured = {
    conversation: {
      ...plain,
      messages: messages.map((message) => ({ ...message, text: fence.around(message.text) })),
    },
    nextOffset,
  };
  const text = fenced(fence, JSON.stringify({ conversation: { ...plain, messages }, nextOffset }));
  return { text, structured, meta: untrustedMeta(fence) };
}

/** The new text of a message; all of it where no quoted history was recognised. */
function newTextOf(message: Message): string {
  const own = visibleText(message.extractedText ?? '').trim();
  return own === '' ? wholeTextOf(message) : own;
}

const wholeTextOf = ({ text }: Message): string => visibleText(text ?? '').trim();

function aboutConversation({ messages, comments, ...item }: Conversation) {
  return {
    id: item.id,
    mailbox: item.mailbox,
    subject: visibleLine(item.subject, linesMax),
    status: item.status,
    placement: item.placement,
    assignee: item.assignee,
    teamId: item.teamId,
    labels: shownLabels(item.labels),
    unread: item.unread,
    waitingSince: item.waitingSince,
    snoozedUntil: item.snoozedUntil,
    lastMessageAt: item.lastMessageAt,
    messageCount: messages.length,
    messagesTruncated: item.messagesTruncated,
    version: item.version,
    leasedBy: item.leasedBy && {
      ...{ name: visibleLine(item.leasedBy.by.name, namesMax), type: item.leasedBy.by.type },
      until: item.leasedBy.until,
    },
    contact: item.contact && { ...item.contact, name: visibleLine(item.contact.name, namesMax) },
    links: {
      tasks: item.links.tasks.slice(0, filesMax).map(linked),
      events: item.links.events.slice(0, filesMax).map(linked),
    },
    commentCount: item.commentCount,
    comments: comments.slice(-commentsMax).map(aboutComment),
  };
}

const linked = ({ id, title }: { id: string; title: string }) => ({
  id,
  title: visibleLine(title, namesMax),
});

const aboutComment = ({ id, author, text, createdAt }: Comment) => ({
  id,
  author: visibleLine(author.name, namesMax),
  text: visibleText(text).slice(0, commentMax),
  createdAt,
});

function aboutMessage(
  message: Message,
  { text, from, isWhole }: Omit<Slice<Shown>, 'item'>,
  isWholeText: boolean,
) {
  const { attachments, extractedText, text: full } = message;
  const lists = [message.to, message.cc, message.replyTo];
  const isCut = message.recipientsTruncated || lists.some(({ length }) => length > addressesMax);
  return {
    id: message.id,
    direction: message.direction,
    from: message.from && correspondent(message.from),
    to: message.to.slice(0, addressesMax).map(correspondent),
    cc: message.cc.slice(0, addressesMax).map(correspondent),
    replyTo: message.replyTo.slice(0, addressesMax).map(correspondent),
    ...(isCut && { recipientsTruncated: true }),
    subject: visibleLine(message.subject, linesMax),
    sentAt: message.sentAt,
    receivedAt: message.receivedAt,
    trust: message.trust,
    isAutoReply: message.isAutoReply,
    ...(message.bounced && { bounced: aboutBounce(message.bounced) }),
    quotedHistoryLeftOut: !isWholeText && (extractedText ?? '') !== '' && extractedText !== full,
    text,
    ...(!isWhole && { textFrom: from, textIsWhole: false }),
    attachments: attachments.slice(0, filesMax).map(aboutFile),
    attachmentCount: attachments.length,
  };
}

const aboutBounce = ({ recipient, status, action, text, of }: MessageBounced) => ({
  recipient: recipient && visibleLine(recipient, namesMax),
  status,
  action: visibleLine(action, namesMax),
  text: text && visibleLine(text, commentMax),
  of,
});

const aboutFile = ({ id, filename, mimeType, size }: Attachment) => ({
  id,
  filename: filename && visibleLine(filename, namesMax),
  mimeType,
  size,
});
