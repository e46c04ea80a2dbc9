import { invalidField } from '@postroom/contracts';
import { sanitiseHtml, textOfHtml } from '@postroom/mime';

/** What a signature says. */
export interface SignatureContent {
  readonly html: string;
  readonly text: string;
  /** The text is a reading of the HTML, and is read again when that changes. */
  readonly textDerived: boolean;
}

/** What a member gives: absent stays, a text of null is read from the HTML. */
interface Given {
  readonly html?: string;
  readonly text?: string | null;
}

/**
 * What a signature says once this is given; `known` is what it said before, nothing for a new one.
 * @throws Problem INVALID_REQUEST when nothing of the HTML is left
 */
export function contentOf({ html, text }: Given, known?: SignatureContent): SignatureContent {
  const safe = html === undefined ? (known?.html ?? '') : safeHtml(html);
  if (typeof text === 'string') return { html: safe, text, textDerived: false };
  if (text === undefined && known && !known.textDerived) return { ...known, html: safe };
  return { html: safe, text: textOfHtml(safe), textDerived: true };
}

function safeHtml(given: string): string {
  const { html } = sanitiseHtml(given);
  if (html.trim() !== '') return html;
  throw invalidField(
    'html',
    'rien de ce HTML ne peut être affiché',
    'nothing of this HTML can be shown',
  );
}
