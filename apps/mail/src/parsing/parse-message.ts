import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { addressesOf, authorOf } from './addresses.js';
import { parsedAttachments } from './attachments.js';
import type { Cuts } from './cuts.js';
import { headerValue } from './header-lines.js';
import { costLimits, limits } from './limits.js';
import { firstMessageId, messageIds } from './message-ids.js';
import type { ParsedMessage } from './parsed-message.js';
import { sanitiseHtml } from './sanitise-html.js';
import { isAutomatic, priorityOf } from './sender-hints.js';
import { sentAtOf } from './sent-at.js';
import { shortenedMessage } from './shorten-message.js';
import { previewOf, storableLine, storableText } from './storable-text.js';
import { textOfHtml } from './text-of-html.js';
import { withCharsetDeclared } from './undeclared-charset.js';

/**
 * Parses a raw message (RFC 5322, MIME) without touching it. Bounded in its result and in its
 * memory; for its time `MessageParser` runs it in a thread that can be ended.
 *
 * @throws Error when the message is beyond `costLimits` or the MIME parser refuses it.
 */
export async function parseMessage(raw: Uint8Array): Promise<ParsedMessage> {
  const { bytes, cuts } = shortenedMessage(raw);
  const email = await PostalMime.parse(withCharsetDeclared(bytes), {
    // A forwarded message is a file of its own, not a part of this one's text.
    forceRfc822Attachments: true,
    maxNestingDepth: costLimits.nestingDepthMax,
    maxHeadersSize: costLimits.headerBytesMax,
  });
  return messageOf(email, cuts);
}

async function messageOf(email: Email, cuts: Cuts): Promise<ParsedMessage> {
  const { headers } = email;
  const html = email.html === undefined ? null : sanitiseHtml(email.html);
  const text = email.text ?? (html === null ? null : textOfHtml(html.html));
  const storedText = text === null ? null : bodyText(text);
  return {
    subject: storableLine(email.subject ?? '', limits.subjectCharactersMax),
    from: authorOf(headers),
    to: addressesOf(headers, 'to'),
    cc: addressesOf(headers, 'cc'),
    bcc: addressesOf(headers, 'bcc'),
    replyTo: addressesOf(headers, 'reply-to'),
    messageId: firstMessageId(decodeWords(headerValue(headers, 'message-id'))),
    inReplyTo: firstMessageId(decodeWords(headerValue(headers, 'in-reply-to'))),
    references: messageIds(decodeWords(headerValue(headers, 'references'))),
    sentAt: sentAtOf(headerValue(headers, 'date')),
    text: storedText,
    html: html?.html ?? null,
    extractedText: null,
    preview: previewOf(storedText ?? ''),
    hasRemoteContent: html?.hasRemoteContent ?? false,
    attachments: await parsedAttachments(email.attachments, {
      shownContentIds: html?.shownContentIds ?? new Set(),
      cuts,
    }),
    isAutoReply: isAutomatic(headers),
    priority: priorityOf(headers),
    parsed: true,
  };
}

function bodyText(text: string): string {
  return storableText(
    text.slice(0, limits.textUnitsMax * 2).replace(/\r\n?/g, '\n'),
    limits.textUnitsMax,
  );
}
