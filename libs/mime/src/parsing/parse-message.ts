import PostalMime, { decodeWords, type Attachment, type Email } from 'postal-mime';
import { addressesOf, authorOf } from './addresses.js';
import { bytesOf, calendarOf, parsedAttachments, type AttachmentContext } from './attachments.js';
import { extractReply } from './extract-reply.js';
import { firstMessageId, headerFields, headerValue, messageIds } from './header-fields.js';
import { costLimits, limits } from './limits.js';
import { partBytes } from './part-source.js';
import type { ParsedMessage } from './parsed-message.js';
import type { Parts } from './parts.js';
import { sanitiseHtml, type SanitisedHtml } from './sanitise-html.js';
import { isAutomatic, isReport, priorityOf } from './sender-hints.js';
import { sentAtOf } from './sent-at.js';
import { shortenedMessage } from './shorten-message.js';
import { previewOf, storableLine, storableText } from './storable-text.js';
import { textOfHtml } from './text-of-html.js';
import { suspicionsOf } from './trust/suspicions-of.js';
import { textOfUndeclared, withCharsetDeclared } from './undeclared-charset.js';
import { visibleHtml } from './visible-html.js';

/**
 * Parses a raw message (RFC 5322, MIME) without touching it. Bounded in its result and in its
 * memory; for its time `MessageParser` runs it in a thread that can be ended.
 *
 * @param returnPath the reverse path it came with, empty for the null sender; null where none is known
 * @throws Error when the message is beyond `costLimits` or the MIME parser refuses it.
 */
export async function parseMessage(
  raw: Uint8Array,
  returnPath: string | null = null,
): Promise<ParsedMessage> {
  const { bytes, ...shortening } = shortenedMessage(raw);
  const email = await PostalMime.parse(withCharsetDeclared(bytes), {
    // A forwarded message is a file of its own, not a part of this one's text.
    forceRfc822Attachments: true,
    maxNestingDepth: costLimits.nestingDepthMax,
    maxHeadersSize: costLimits.headerBytesMax,
  });
  const text = textWithoutParts(email, raw, shortening.parts);
  return messageOf(text === null ? email : { ...email, text }, { ...shortening, raw, returnPath });
}

/**
 * The body of a multipart message in which no part begins (without a boundary, or with another one
 * than its head names), as text in the default type of RFC 2045 §5.2. The text before the first part
 * is only ignored where there is one (RFC 2046 §5.1.1). Null for every other message, and for a body
 * of blank lines.
 */
function textWithoutParts(email: Email, raw: Uint8Array, parts: Parts): string | null {
  const isEmpty = !email.text && !email.html && email.attachments.length === 0;
  const source = isEmpty ? parts.bodyWithoutParts : null;
  if (!/^\s*multipart\//i.test(headerValue(email.headers, 'content-type')) || !source) return null;
  const end = Math.min(source.end, source.start + costLimits.textBytesMax);
  const text = textOfUndeclared(partBytes(raw, { ...source, end }));
  return text.trim() === '' ? null : text;
}

async function messageOf(
  email: Email,
  context: Omit<AttachmentContext, 'shownContentIds'> & { readonly returnPath: string | null },
): Promise<ParsedMessage> {
  const { headers } = email;
  const { text, html, hasRemoteContent, shownContentIds } = bodyOf(email);
  const report = isReport(headers, {
    attachments: email.attachments,
    returnPath: context.returnPath,
  });
  const references = messageIds(decodeWords(headerValue(headers, 'references')));
  const calendar = calendarOf(email.attachments);
  const attachments = await parsedAttachments(email.attachments, { ...context, shownContentIds });
  const named = {
    subject: storableLine(email.subject ?? '', limits.subjectCharactersMax),
    from: authorOf(headers),
    to: addressesOf(headers, 'to'),
    cc: addressesOf(headers, 'cc'),
  };
  return {
    ...named,
    bcc: addressesOf(headers, 'bcc'),
    replyTo: addressesOf(headers, 'reply-to'),
    messageId: firstMessageId(decodeWords(headerValue(headers, 'message-id'))),
    inReplyTo: firstMessageId(decodeWords(headerValue(headers, 'in-reply-to'))),
    references: withReported(references, report ? reportedMessageId(email.attachments) : null),
    sentAt: sentAtOf(headerValue(headers, 'date')),
    text,
    html,
    // A report quotes what was said on the line, and is no answer.
    extractedText: text === null || report ? text : extractReply(text),
    preview: previewOf(text ?? ''),
    hasRemoteContent,
    attachments,
    ...(calendar !== undefined && { calendar }),
    isAutoReply: isAutomatic(headers, { returnPath: context.returnPath }),
    isBounce: report && !tellsOfNoFailure(email.attachments),
    priority: priorityOf(headers),
    suspicions: suspicionsOf({
      ...named,
      text,
      html: email.html ?? null,
      filenames: attachments.map(({ filename }) => filename),
    }),
    parsed: true,
  };
}

/** A report belongs to the message that it returns. */
const withReported = (references: readonly string[], reported: string | null): readonly string[] =>
  reported === null || references.includes(reported) ? references : [...references, reported];

interface Body extends Omit<SanitisedHtml, 'html'> {
  readonly text: string | null;
  readonly html: string | null;
}

/** The body as shown. HTML without a plain alternative, or with a blank one, is converted to text too. */
function bodyOf(email: Email): Body {
  const text = email.text === undefined ? null : bodyText(email.text);
  if (!isSomething(email.html)) {
    return { text, html: null, hasRemoteContent: false, shownContentIds: new Set() };
  }
  const sanitised = sanitiseHtml(email.html);
  return {
    ...sanitised,
    text: isSomething(text) ? text : bodyText(textOfHtml(seenHtml(email.html, sanitised.html))),
  };
}

/** The safe HTML of the visible part of a source. */
function seenHtml(source: string, sanitised: string): string {
  const visible = visibleHtml(source);
  return visible === source ? sanitised : sanitiseHtml(visible).html;
}

const isSomething = (text: string | null | undefined): text is string =>
  text != null && text.trim() !== '';

function bodyText(text: string): string {
  const lines = text.slice(0, limits.textUnitsMax * 2).replace(/\r\n?/g, '\n');
  return storableText(lines, limits.textUnitsMax);
}

const returned = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i;
const status = /^message\/(?:global-)?delivery-status$/i;
const action = /^action:[ \t]*([a-z]+)/gim;
const headBytes = 64 * 1024;

/** True if a report is about deliveries that succeeded or may still succeed only (RFC 3464 §2.3.3). */
function tellsOfNoFailure(attachments: readonly Attachment[]): boolean {
  const texts = attachments
    .filter(({ mimeType }) => status.test(mimeType))
    .map((part) => bytesOf(part).toString('latin1', 0, headBytes));
  const actions = texts.flatMap((text) => [...text.matchAll(action)]).map((found) => found[1]);
  return actions.length > 0 && !actions.some((word) => word?.toLowerCase() === 'failed');
}

/** The Message-ID of the message that a report returns, or the head of it (RFC 3462 §2); else null. */
function reportedMessageId(attachments: readonly Attachment[]): string | null {
  const original = attachments.find(({ mimeType }) => returned.test(mimeType));
  if (!original) return null;
  const lines = bytesOf(original).toString('latin1', 0, headBytes).split(/\r?\n/);
  const gap = lines.indexOf('');
  const head = headerFields(gap < 0 ? lines : lines.slice(0, gap));
  return firstMessageId(headerValue(head, 'message-id'));
}
