const blocks = new Set([
  ...['P', 'DIV', 'BR', 'LI', 'TR', 'TABLE', 'UL', 'OL', 'BLOCKQUOTE', 'PRE', 'HR'],
  ...['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'SECTION', 'ARTICLE', 'HEADER', 'FOOTER'],
]);
const unread = new Set(['SCRIPT', 'STYLE', 'HEAD', 'TITLE', 'TEMPLATE']);

// As libs/mime tells it when the mail is made (tools/habits.spec.mjs compares them).
const elements =
  'a|abbr|address|article|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|li|main|meta|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul';
const tag = new RegExp(String.raw`<!doctype\s+html|</?(?:${elements})(?:\s[^<>]*)?/?>`, 'i');

/** True for the body of a mail that leaves as HTML. */
export const isHtml = (body: string): boolean => tag.test(body);

/**
 * A mail as it would read, in plain text: what its HTML hides is shown too, and a link with its real target. The
 * document is only parsed, never shown, so nothing of it is loaded or run.
 */
export function readableMail(body: string): string {
  if (!isHtml(body)) return body;
  const parsed = new DOMParser().parseFromString(body, 'text/html');
  const lines: string[] = [];
  append(parsed.body, lines);
  return lines
    .join('')
    .replaceAll(/(?<![ \t])[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function append(node: Node, into: string[]): void {
  if (node.nodeType === Node.TEXT_NODE) {
    into.push((node.nodeValue ?? '').replaceAll(/[ \t\r\n]+/g, ' '));
    return;
  }
  if (!(node instanceof Element)) return;
  if (unread.has(node.tagName)) return;
  if (node.tagName === 'LI') into.push('• ');
  for (const child of node.childNodes) append(child, into);
  const told = toldOf(node);
  if (told !== null) into.push(told);
  if (blocks.has(node.tagName)) into.push(node.tagName === 'P' ? '\n\n' : '\n');
}

/** The rest that an element says beside its text. */
function toldOf(element: Element): string | null {
  const target = element.getAttribute('href');
  if (target !== null && element.textContent.trim() !== target) return ` <${target}>`;
  if (element.tagName === 'IMG') return `[image: ${element.getAttribute('alt') ?? ''}]`;
  return null;
}
