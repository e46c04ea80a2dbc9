import { decodeWords } from 'postal-mime';
import { authorOf } from './addresses.js';
import { headerFields, headerValue } from './header-lines.js';
import { limits } from './limits.js';
import { firstMessageId, messageIds } from './message-ids.js';
import type { ParsedMessage } from './parsed-message.js';
import { isAutomatic, isReport, priorityOf } from './sender-hints.js';
import { sentAtOf } from './sent-at.js';
import { previewOf, storableLine, storableText } from './storable-text.js';
import { suspicionsOf } from './trust/index.js';

const shownBytes = 64 * 1024;

/**
 * What is shown of a message that cannot be parsed in time, in memory or at all: a few headers as
 * far as they can be read, and the raw start of its body as text, both from the first 64 KiB.
 * Linear, bounded, and never throws, whatever the bytes are.
 */
export function fallbackMessage(raw: Uint8Array, returnPath: string | null = null): ParsedMessage {
  const start = new TextDecoder().decode(raw.subarray(0, shownBytes));
  const lines = start.split(/\r?\n/);
  const gap = lines.indexOf('');
  const headers = headerFields(gap < 0 ? lines : lines.slice(0, gap));
  const body = gap < 0 ? '' : lines.slice(gap + 1).join('\n');
  // A head without a body in reach is all there is to show.
  const text = storableText(body || start, limits.textUnitsMax);
  const judged = {
    subject: storableLine(
      decodeWords(headerValue(headers, 'subject')),
      limits.subjectCharactersMax,
    ),
    from: authorOf(headers),
    to: [],
    cc: [],
    text,
    html: null,
  };
  return {
    ...judged,
    bcc: [],
    replyTo: [],
    messageId: firstMessageId(headerValue(headers, 'message-id')),
    inReplyTo: firstMessageId(headerValue(headers, 'in-reply-to')),
    references: messageIds(headerValue(headers, 'references')),
    sentAt: sentAtOf(headerValue(headers, 'date')),
    extractedText: null,
    preview: previewOf(text),
    hasRemoteContent: false,
    attachments: [],
    isAutoReply: isAutomatic(headers, { returnPath }),
    isBounce: isReport(headers, { returnPath }),
    priority: priorityOf(headers),
    suspicions: suspicionsOf({ ...judged, filenames: [] }),
    parsed: false,
  };
}
