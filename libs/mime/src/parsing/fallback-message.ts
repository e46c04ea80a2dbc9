import { Buffer } from 'node:buffer';
import { authorOf } from './addresses.js';
import { lengthOfHead } from './content-fingerprint.js';
import { decodeWords } from './encoded-words.js';
import { firstMessageId, headerFields, headerValue, messageIds } from './header-fields.js';
import { limits } from './limits.js';
import type { ParsedMessage } from './parsed-message.js';
import { isAutomatic, isReport, priorityOf } from './sender-hints.js';
import { sentAtOf } from './sent-at.js';
import { previewOf, storableLine, storableText } from './storable-text.js';
import { suspicionsOf } from './trust/suspicions-of.js';

const shownBytes = 64 * 1024;

/**
 * The view of a message that cannot be parsed in time, in memory or at all: the headers that can be read and
 * the raw start of its body as text, both from the first 64 KiB, and the Message-ID from its whole head.
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
    recipientsTruncated: false,
    messageId: messageIdInHead(raw),
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

/** RFC 5322 §2.2.3: the field's body may begin on a line below its name. */
const field = /^message-id[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)?)/im;

/**
 * The Message-ID of a message that could not be parsed, anywhere in its head: it identifies a repeated
 * delivery, and answers find their thread by it. Linear, over the head only.
 */
function messageIdInHead(raw: Uint8Array): string | null {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = field.exec(message.toString('latin1', 0, lengthOfHead(message)));
  // Written as UTF-8 (RFC 6532), it is an identifier of those bytes.
  return firstMessageId(Buffer.from(found?.[1] ?? '', 'latin1').toString());
}
