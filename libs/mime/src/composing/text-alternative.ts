import { compile } from 'html-to-text';

const elements =
  'a|abbr|address|article|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|li|main|meta|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul';
const tag = new RegExp(String.raw`<!doctype\s+html|</?(?:${elements})(?:\s[^<>]*)?/?>`, 'i');

/** Whether a body is meant as HTML: it has a tag of it. `a < b` and `<ann@b.fr>` are text. */
export const isHtml = (body: string): boolean => tag.test(body);

/** What HTML says to a reader of plain text, its links spelled out. */
export const textAlternative = compile({
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
