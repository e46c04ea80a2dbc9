import type { ConversationItem, ConversationReceived, Message } from '@postroom/contracts';

const bodyBytesMax = 64 * 1024;

/** The data of `conversation.received`: a body over 64 KiB is left out, and the event says so. */
export function receivedData(
  conversation: ConversationItem,
  message: Message,
): ConversationReceived {
  const fits = (body: string | null): boolean =>
    body === null || Buffer.byteLength(body) <= bodyBytesMax;
  const kept = (body: string | null): string | null => (fits(body) ? body : null);
  const { text, html, extractedText } = message;
  return {
    conversation,
    message: {
      ...message,
      text: kept(text),
      html: kept(html),
      extractedText: kept(extractedText),
    },
    dataTruncated: ![text, html, extractedText].every(fits),
  };
}
