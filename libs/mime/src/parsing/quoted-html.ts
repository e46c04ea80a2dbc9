import { createRequire } from 'node:module';
import { shallowStart } from './html-depth.js';
import { limits } from './limits.js';

// Required, as sanitize-html does: Jest refuses a module that is imported and required in one graph.
const { Parser } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** Elements behind which the quoted message follows, to the end (Outlook on the web and on telephones). */
const beginning = /^(?:x_)*(?:divRplyFwdMsg|appendonsend|stopSpelling|OLK_SRC_BODY_SECTION)$/i;
/** Elements that hold what is quoted: of Yahoo, Outlook, Proton, Tuta, Zoho, GMX and Spark. */
const holding =
  /^(?:x_|ydp[\da-f]+)*(?:yahoo_quoted(?:_\d+)?|mail-editor-reference-message-container|ms-outlook-mobile-reference-message|protonmail_quote|tutanota_quote|zmail_extra|gmx_quote|messageReplySection)$/i;
const mayQuote =
  /divRplyFwdMsg|appendonsend|stopSpelling|OLK_SRC|yahoo_quoted|reference-message|_quote|zmail_extra|messageReplySection/i;

/**
 * The HTML of a reply without what the ids and classes of mail programs show to be the quoted message; null where
 * nothing of that kind is in it. One pass, linear.
 */
export function withoutQuotedHtml(source: string): string | null {
  if (!mayQuote.test(source)) return null;
  const html = shallowStart(source.slice(0, limits.htmlUnitsMax));
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  let quote: { readonly depth: number } | null = null;
  let isOver = false;
  const parser = new Parser({
    onopentag: (_, { id = '', class: classes = '', name = '' }) => {
      depth += 1;
      if (isOver || quote) return;
      const names = [id, name, ...classes.split(/\s+/)];
      isOver = names.some((one) => beginning.test(one));
      if (!isOver && !names.some((one) => holding.test(one))) return;
      kept.push(html.slice(from, parser.startIndex));
      quote = { depth };
    },
    onclosetag: (_, isImplied) => {
      if (quote?.depth === depth && !isOver) {
        from = isImplied ? parser.startIndex : parser.endIndex + 1;
        quote = null;
      }
      depth -= 1;
    },
  });
  parser.end(html);
  if (kept.length === 0) return null;
  // A quote that has not ended goes on to the end.
  const rest = (quote as unknown) === null ? html.slice(from) : '';
  return kept.join('') + rest;
}
