import { parsed } from '../../mail-frame/parsed.js';

const blocks = new Set([
  ...['P', 'DIV', 'BR', 'LI', 'TR', 'TABLE', 'UL', 'OL', 'BLOCKQUOTE', 'PRE', 'HR'],
  ...['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'SECTION', 'ARTICLE', 'HEADER', 'FOOTER'],
]);
/** Elements that say nothing, by what they are called for the reader. */
const unread = new Map([
  ['SCRIPT', '[script]'],
  ['NOEMBED', '[style]'],
]);

// The same rule as in libs/mime when the mail is made (tools/habits.spec.mjs compares them).
const elements =
  'a|abbr|address|article|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|li|main|meta|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul';
const tag = new RegExp(String.raw`<!doctype\s+html|</?(?:${elements})(?:\s[^<>]*)?/?>`, 'i');

/** True for the body of a mail that leaves as HTML. */
export const isHtml = (body: string): boolean => tag.test(body);

/**
 * A mail as it would read, in plain text: what its HTML hides is shown too, and a link or image with its real
 * address. The document is only parsed, never shown, so nothing of it is loaded or run. Its body begins first, so that
 * a `<frameset>` does not take the body's place.
 */
export function readableMail(body: string): string {
  if (!isHtml(body)) return body;
  const lines: string[] = [];
  for (const node of parsed(`<body>${body}`).childNodes) append(node, lines);
  return lines
    .join('')
    .replaceAll(/(?<![ \t])[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function append(node: Node, into: string[]): void {
  if (node.nodeType === Node.TEXT_NODE)
    into.push((node.nodeValue ?? '').replaceAll(/[ \t\r\n]+/g, ' '));
  else if (node.nodeType === Node.COMMENT_NODE) into.push('[comment]');
  else if (node instanceof Element) appendElement(node, into);
}

function appendElement(element: Element, into: string[]): void {
  const mark = unread.get(element.tagName);
  if (mark !== undefined) {
    into.push(mark);
    return;
  }
  if (element.tagName === 'LI') into.push('• ');
  const { childNodes } = element instanceof HTMLTemplateElement ? element.content : element;
  for (const child of childNodes) append(child, into);
  const told = toldOf(element);
  if (told !== null) into.push(told);
  if (blocks.has(element.tagName)) into.push(element.tagName === 'P' ? '\n\n' : '\n');
}

/** The rest that an element says beside its text. */
function toldOf(element: Element): string | null {
  const target = element.getAttribute('href');
  if (target !== null && element.textContent.trim() !== target) return ` <${target}>`;
  if (element.tagName !== 'IMG') return null;
  const [alt, address] = ['alt', 'src'].map((name) => element.getAttribute(name) ?? '');
  return `[image: ${[alt, address && `<${address}>`].filter(Boolean).join(' ')}]`;
}
