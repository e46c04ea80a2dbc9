import type { Email } from 'postal-mime';
import { isSomething, seenText } from './body.js';
import { extractReply } from './extract-reply.js';
import type { ParsedMessage } from './parsed-message.js';
import { withoutQuotedHtml } from './quoted-html.js';
import { evidenceOfSubject } from './reply-evidence.js';

/** The new part of a message, and that which it has if the messages that it refers to are unknown. */
export type NewText = Pick<ParsedMessage, 'extractedText' | 'extractedFromStranger'>;

/** The facts that decide whether a message is a reply. */
export interface ReplySigns {
  readonly subject: string;
  /** True if it names a message that it answers. */
  readonly isReferring: boolean;
}

/** The new part of a message, by the evidence that it is a reply: its subject, or the messages it refers to. */
export function newTextOf(
  email: Email,
  text: string | null,
  { subject, isReferring }: ReplySigns,
): NewText {
  if (text === null) return { extractedText: null };
  const bySubject = evidenceOfSubject(subject);
  if (bySubject === 'forward') return { extractedText: text };
  if (bySubject === 'reply') return { extractedText: newTextOfReply(email, text) };
  const alone = extractReply(text, 'none');
  const extractedText = isReferring ? newTextOfReply(email, text) : alone;
  return { extractedText, ...(extractedText !== alone && { extractedFromStranger: alone }) };
}

function newTextOfReply(email: Email, text: string): string {
  const html = isSomething(email.text) ? null : withoutQuotedHtml(email.html ?? '');
  const own = html === null ? '' : seenText(html);
  return extractReply(isSomething(own) ? own : text, 'reply');
}
