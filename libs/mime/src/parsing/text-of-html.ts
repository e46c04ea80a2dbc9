import { convert } from 'html-to-text';
import { limits } from './limits.js';

const aLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** A plain reading of sanitised HTML: words and line breaks, no addresses of links or images. */
export function textOfHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
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
