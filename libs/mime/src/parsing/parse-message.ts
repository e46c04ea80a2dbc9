import type { Email } from 'postal-mime';
import { authorOf, recipientsOf } from './addresses.js';
import { calendarOf, parsedAttachments, type AttachmentContext } from './attachments.js';
import { bodyOf, withoutLinks } from './body.js';
import { decodedText } from './charsets.js';
import { deliveryReport, type DeliveryReport } from './delivery-report.js';
import { decodeWords } from './encoded-words.js';
import { gmailLabelsOf } from './gmail-labels.js';
import { firstMessageId, headerValue, messageIds, type HeaderFields } from './header-fields.js';
import { costLimits, limits } from './limits.js';
import { MimeTree } from './mime-tree.js';
import { newTextOf } from './new-text.js';
import { textBytes } from './part-source.js';
import type { ParsedMessage } from './parsed-message.js';
import type { Parts } from './parts.js';
import { behalfOf, isAutomatic, isReport, priorityOf } from './sender-hints.js';
import { sentAtOf } from './sent-at.js';
import { shortenedMessage } from './shorten-message.js';
import { previewOf, storableLine } from './storable-text.js';
import { suspicionsOf } from './trust/suspicions-of.js';
import { unpackTnef, type UnpackedEmail } from './unpack-tnef.js';

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
  const email = await new MimeTree(raw, shortening.parts).parse(bytes);
  const text = textWithoutParts(email, raw, shortening.parts);
  const shown = unpackTnef(text === null ? email : { ...email, text }, { ...shortening, raw });
  return messageOf(shown, { ...shortening, raw, returnPath });
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
  const text = decodedText(textBytes(raw, source, costLimits.textBytesMax));
  return text.trim() === '' ? null : text;
}

async function messageOf(
  email: UnpackedEmail,
  context: Omit<AttachmentContext, 'shownContentIds'> & { readonly returnPath: string | null },
): Promise<ParsedMessage> {
  const { headers } = email;
  const { text, html, hasRemoteContent, shownContentIds } = bodyOf(email);
  const attachments = await parsedAttachments(email.attachments, { ...context, shownContentIds });
  const named = {
    subject: storableLine(
      decodeWords(headerValue(headers, 'subject')),
      limits.subjectCharactersMax,
    ),
    from: authorOf(headers),
    ...recipientsOf(headers),
  };
  return {
    ...named,
    messageId: firstMessageId(decodeWords(headerValue(headers, 'message-id'))),
    sentAt: sentAtOf(headerValue(headers, 'date')),
    text,
    html,
    preview: previewOf(withoutLinks(email, text ?? '')),
    hasRemoteContent,
    attachments,
    ...contentOf(email, { text, subject: named.subject, returnPath: context.returnPath }),
    ...originOf(headers),
    isAutoReply: isAutomatic(headers, { returnPath: context.returnPath }),
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

interface Shown {
  readonly text: string | null;
  readonly subject: string;
  readonly returnPath: string | null;
}

/** The parts of a message that depend on what it is: an answer, a report, an invitation. */
function contentOf(email: UnpackedEmail, { text, subject, returnPath }: Shown) {
  const { headers, attachments } = email;
  const report = isReport(headers, { attachments, returnPath })
    ? deliveryReport(headers, attachments, text ?? '')
    : null;
  const references = messageIds(decodeWords(headerValue(headers, 'references')));
  const inReplyTo = firstMessageId(decodeWords(headerValue(headers, 'in-reply-to')));
  const isReferring = inReplyTo !== null || references.length > 0;
  const calendar = calendarOf(attachments);
  return {
    inReplyTo,
    references: withReported(references, report?.messageId ?? null),
    // A report quotes what was said on the line, and is no answer.
    ...(report ? { extractedText: text } : newTextOf(email, text, { subject, isReferring })),
    ...(calendar !== undefined && { calendar }),
    ...toldBy(report),
  };
}

const toldBy = (report: DeliveryReport | null): Pick<ParsedMessage, 'isBounce' | 'bounced'> =>
  report === null
    ? { isBounce: false }
    : {
        isBounce: report.isFailure,
        bounced: { ...report.bounced, messageId: report.messageId },
      };

/** The way of a message: who let it be sent, when it was received, and where an export kept it. */
function originOf(headers: HeaderFields) {
  const gmail = gmailLabelsOf(headers);
  return {
    ...behalfOf(headers),
    tracedAt: sentAtOf(afterLastSemicolon(headerValue(headers, 'received'))),
    ...(gmail && { gmail }),
  };
}

/** RFC 5321 §4.4: the date is what follows the last semicolon. */
const afterLastSemicolon = (trace: string): string => trace.slice(trace.lastIndexOf(';') + 1);

/** A report belongs to the message that it returns. */
const withReported = (references: readonly string[], reported: string | null): readonly string[] =>
  reported === null || references.includes(reported) ? references : [...references, reported];
