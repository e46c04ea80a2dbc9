import type { ConversationItem, ConversationReceived, Message } from '@postroom/contracts';

const bodyBytesMax = 64 * 1024;
/** Of addresses, identifiers and files, as JSON: the bus carries 1.5 MiB, and nobody writes so many. */
const listBytesMax = 256 * 1024;
const entriesMax = 20;

/**
 * The data of an event that tells of a message (`conversation.received`, `message.sent`): a body over 64 KiB is left out, so is all but the start of lists
 * over 256 KiB, and the event says so.
 */
export function messageEventData(
  conversation: ConversationItem,
  message: Message,
): ConversationReceived {
  const fits = (body: string | null): boolean =>
    body === null || Buffer.byteLength(body) <= bodyBytesMax;
  const kept = (body: string | null): string | null => (fits(body) ? body : null);
  const { text, html, extractedText, to, cc, bcc, replyTo, references, attachments } = message;
  const lists = { to, cc, bcc, replyTo, references, attachments };
  const isCut = Buffer.byteLength(JSON.stringify(lists)) > listBytesMax;
  return {
    conversation,
    message: {
      ...message,
      ...(isCut && {
        to: to.slice(0, entriesMax),
        cc: cc.slice(0, entriesMax),
        bcc: bcc.slice(0, entriesMax),
        replyTo: replyTo.slice(0, entriesMax),
        references: references.slice(0, entriesMax),
        attachments: attachments.slice(0, entriesMax),
      }),
      text: kept(text),
      html: kept(html),
      extractedText: kept(extractedText),
    },
    dataTruncated: isCut || ![text, html, extractedText].every(fits),
  };
}
