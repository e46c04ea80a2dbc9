import type { Email } from 'postal-mime';
import { limits } from './limits.js';
import { sanitiseHtml, type SanitisedHtml } from './sanitise-html.js';
import { storableText } from './storable-text.js';
import { textOfHtml } from './text-of-html.js';
import { visibleHtml } from './visible-html.js';

/** The text of a message without the addresses that were written behind links. */
export const withoutLinks = (email: Email, text: string): string =>
  isSomething(email.text)
    ? text
    : text.slice(0, 64 * 1024).replace(/ ?\[(?:https?:|mailto:)[^[\]\s]*\]/g, '');

/** The body of a message as it is shown. */
export interface Body extends Omit<SanitisedHtml, 'html'> {
  readonly text: string | null;
  readonly html: string | null;
}

/** The body as shown. HTML without a plain alternative, or with a blank one, is converted to text too. */
export function bodyOf(email: Email): Body {
  const text = email.text === undefined ? null : bodyText(email.text);
  if (!isSomething(email.html)) {
    return { text, html: null, hasRemoteContent: false, shownContentIds: new Set() };
  }
  const sanitised = sanitiseHtml(email.html);
  return {
    ...sanitised,
    text: isSomething(text) ? text : bodyText(textOfHtml(seenHtml(email.html, sanitised.html))),
  };
}

/** The text that a reader sees of a page. */
export const seenText = (source: string): string =>
  bodyText(textOfHtml(seenHtml(source, sanitiseHtml(source).html)));

/** The safe HTML of the visible part of a source. */
function seenHtml(source: string, sanitised: string): string {
  const visible = visibleHtml(source);
  return visible === source ? sanitised : sanitiseHtml(visible).html;
}

export const isSomething = (text: string | null | undefined): text is string =>
  text != null && text.trim() !== '';

function bodyText(text: string): string {
  const lines = text.slice(0, limits.textUnitsMax * 2).replace(/\r\n?/g, '\n');
  return storableText(lines, limits.textUnitsMax);
}
