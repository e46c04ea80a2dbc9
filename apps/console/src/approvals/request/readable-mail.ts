const blocks = new Set([
  ...['P', 'DIV', 'BR', 'LI', 'TR', 'TABLE', 'UL', 'OL', 'BLOCKQUOTE', 'PRE', 'HR'],
  ...['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'SECTION', 'ARTICLE', 'HEADER', 'FOOTER'],
]);
const unread = new Set(['SCRIPT', 'STYLE', 'HEAD', 'TITLE', 'TEMPLATE']);

/** True for the body of a mail that is HTML. */
export const isHtml = (body: string): boolean => /<[a-z!/][^>]*>/i.test(body.slice(0, 20_000));

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
    .replaceAll(/[ \t]+\n/g, '\n')
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
