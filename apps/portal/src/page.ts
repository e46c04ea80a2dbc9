/** A program, or an answer, as it is shown beside the text. */
export interface Sample {
  readonly label: string;
  /** A language of the highlighter. */
  readonly language: string;
  readonly code: string;
}

/** A field of a request, an answer or an event; what it says is Markdown. */
export interface FieldRow {
  readonly name: string;
  readonly kind: string;
  readonly isRequired: boolean;
  readonly about: string;
  /** The fields of the object, or of each object of the list. */
  readonly parts: readonly FieldRow[];
}

/** Markdown, or the fields of something under a heading. */
export type Block = string | { readonly heading: string; readonly fields: readonly FieldRow[] };

export type Section = 'start' | 'guide' | 'public' | 'settings' | 'event' | 'object' | 'more';

/** A page of the portal, from which its HTML, its Markdown, the search and llms.txt are made. */
export interface Page {
  /** Its address; with `.md` behind it, that of its Markdown. */
  readonly path: string;
  readonly title: string;
  /** One sentence, for lists of pages. */
  readonly summary: string;
  readonly section: Section;
  readonly blocks: readonly Block[];
  /** The family of operations that it is about. */
  readonly family?: string;
  readonly endpoint?: { readonly method: string; readonly path: string };
  /** Names and values; the values are Markdown. */
  readonly facts?: readonly (readonly [string, string])[];
  readonly requests?: readonly Sample[];
  readonly answers?: readonly Sample[];
}

/** `signatureSettings` becomes `Signature settings`. */
export const titleOf = (name: string): string =>
  name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
    .replace(/^./, (letter) => letter.toUpperCase())
    .replace(/^Mcp$/, 'MCP');

/** The rows of a table in Markdown, in which a bar would begin another cell. */
export const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
