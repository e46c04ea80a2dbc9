import sanitizeHtml from 'sanitize-html';
import { hidesText } from './trust/index.js';

/** Whether any element may hide something: most messages need no second pass. */
const mayHide = /style\s*=|\shidden[\s=>]/i;

/** Sanitised HTML without the elements that a reader does not see: their text is none of the message’s. */
export const visibleHtml = (html: string): string =>
  mayHide.test(html)
    ? sanitizeHtml(html, {
        allowedTags: false,
        // It was sanitised before, and only its text is read.
        allowVulnerableTags: true,
        allowedAttributes: false,
        parseStyleAttributes: false,
        exclusiveFilter: ({ attribs }) => hidesText(attribs),
      })
    : html;
