import { compile } from 'html-to-text';
import type { Signature } from './composition.js';

/** The body of a message, as HTML and as plain text. */
export interface MessageBody {
  /** Null if it is plain text only. */
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

/** Puts the signature behind the line by which mail programs recognise one (RFC 3676 §4.3). */
function textAbove(text: string, signature: string): string {
  // The signature is an image only.
  if (signature.trim() === '') return text;
  const above = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  return `${above}-- \n${signature.trimEnd()}\n`;
}

/** Puts the signature before `</body>`, if there is one. */
function htmlAbove(html: string, signature: string): string {
  const at = [...html.matchAll(/<\/body\s*>/gi)].at(-1)?.index ?? html.length;
  const below = `<br>\n<div class="signature">${signature}</div>\n`;
  return `${html.slice(0, at)}${below}${html.slice(at)}`;
}

const elements =
  'a|abbr|address|article|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|li|main|meta|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul';
const tag = new RegExp(String.raw`<!doctype\s+html|</?(?:${elements})(?:\s[^<>]*)?/?>`, 'i');

/** A body with an HTML tag is HTML; `a < b` and `<ann@b.fr>` are text. */
const isHtml = (body: string): boolean => tag.test(body);

/** HTML as plain text, with links spelled out. */
const textAlternative = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
  limits: { maxInputLength: 2 * 1024 * 1024, maxDepth: 256 },
});
