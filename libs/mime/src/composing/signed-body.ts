import type { Signature } from './composition.js';
import { isHtml, textAlternative } from './text-alternative.js';

/** What a message says, as HTML and as plain text. */
export interface MessageBody {
  /** Null where it is plain text alone. */
  readonly html: string | null;
  readonly text: string;
}

/** A body with its plain alternative, and its signature below both; its lines end with a line feed. */
export function signedBody(given: string, signature: Signature | null): MessageBody {
  const body = lines(given);
  const html = isHtml(body) ? body : null;
  const text = html === null ? body : textAlternative(html);
  if (!signature) return { html, text };
  return {
    html: html === null ? null : htmlAbove(html, lines(signature.html)),
    text: textAbove(text, lines(signature.text)),
  };
}

/** A carriage return alone must not leave (RFC 5321 §2.3.8): readers differ on what it ends. */
const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** Behind the line by which readers know a signature (RFC 3676 §4.3). */
function textAbove(text: string, signature: string): string {
  // That of an image alone says nothing.
  if (signature.trim() === '') return text;
  const above = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  return `${above}-- \n${signature.trimEnd()}\n`;
}

/** Within the body, where its end is written. */
function htmlAbove(html: string, signature: string): string {
  const at = [...html.matchAll(/<\/body\s*>/gi)].at(-1)?.index ?? html.length;
  const below = `<br>\n<div class="signature">${signature}</div>\n`;
  return `${html.slice(0, at)}${below}${html.slice(at)}`;
}
