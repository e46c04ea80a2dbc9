import { invalidField } from '@postroom/contracts';
import { sanitiseHtml, textOfHtml } from '@postroom/mime';

/** The content of a signature. */
export interface SignatureContent {
  readonly html: string;
  readonly text: string;
  /** Whether the text is derived from the HTML, and derived again when that changes. */
  readonly textDerived: boolean;
}

/** The input: undefined keeps, a text of null is derived from the HTML. */
interface ContentInput {
  readonly html?: string;
  readonly text?: string | null;
}

/**
 * The content of a signature after an input; `known` is the content before, absent for a new one.
 * @throws Problem INVALID_REQUEST when nothing of the HTML is left
 */
export function contentOf(
  { html, text }: ContentInput,
  known?: SignatureContent,
): SignatureContent {
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
