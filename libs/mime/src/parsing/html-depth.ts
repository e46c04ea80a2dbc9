const depthMax = 2_000;
const tag = /<(\/?)([a-z][^\s/>]{0,40})/gi;
/** Elements that never hold anything, or that the HTML parser closes when their like begins. */
// prettier-ignore
const neverDeep = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr',
  'p', 'li', 'dd', 'dt', 'tr', 'td', 'th', 'tbody', 'thead', 'tfoot', 'option', 'optgroup',
]);

/**
 * The start of an HTML text up to where its elements nest absurdly deep. The HTML parser's time
 * grows with size times depth: 300 KB of `<table><tr><td>` would keep it busy for seconds.
 */
export function shallowStart(html: string): string {
  const open = new Map<string, number>();
  let depth = 0;
  for (const { index, 1: slash, 2: tagName = '' } of html.matchAll(tag)) {
    const name = tagName.toLowerCase();
    const openOfName = open.get(name) ?? 0;
    if (neverDeep.has(name) || (slash === '/' && openOfName === 0)) continue;
    const change = slash === '/' ? -1 : 1;
    open.set(name, openOfName + change);
    depth += change;
    if (depth > depthMax) return html.slice(0, index);
  }
  return html;
}
