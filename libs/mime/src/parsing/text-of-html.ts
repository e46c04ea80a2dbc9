import { convert, type FormatCallback } from 'html-to-text';
import { limits } from './limits.js';

/** A link's text and, unless that says it already, its address. */
const link: FormatCallback = (element, walk, builder) => {
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  const href = (element.attribs as Readonly<Record<string, string>>)['href'] ?? '';
  if (href === '' || href.startsWith('#') || href.replace(/^mailto:/, '') === text) return;
  builder.addInline(` [${href}]`, { noWordTransform: true });
};

const aLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** A plain reading of sanitised HTML: words, line breaks and, behind each link's text, its address in brackets. */
export function textOfHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    formatters: { link },
    selectors: [
      { selector: 'a', format: 'link' },
      { selector: 'img', format: 'skip' },
      { selector: 'hr', format: 'lineBreak' },
      // Most tables of mails are layout: a cell a line, or their words run together.
      ...['td', 'th'].map((selector) => ({ selector, format: 'block', options: aLine })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
    limits: { maxInputLength: limits.htmlUnitsMax, maxDepth: 256 },
  });
}
