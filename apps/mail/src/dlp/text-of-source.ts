import { Tokenizer, type QuoteType, type TokenizerCallbacks } from 'htmlparser2';

/** The texts of an HTML source: those that its reader sees, and the others. */
export interface SourceText {
  /** Words, those that a style hides too, since they leave; what no line break parts runs together. */
  readonly shown: string;
  /** Text that is never shown and leaves all the same: values of attributes, comments. */
  readonly aside: string;
}

/** Elements that part what stands before them from what follows. */
const parting = new Set(
  (
    'address article aside blockquote body br button caption center dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu ' +
    'nav ol optgroup option p pre section select summary table tbody td textarea tfoot th thead title ' +
    'tr ul'
  ).split(' '),
);

/**
 * The texts of an HTML source, in one pass over its tokens: no tree, whose depth could be hostile.
 * A plain text is one without tags; that `<` and `&` may be read as HTML then loses nothing that a
 * reader would see, since every token ends in one of the two texts.
 */
export function textOfSource(html: string): SourceText {
  const reader = new Reader(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return { shown: reader.shown.join(''), aside: reader.aside.join('') };
}

class Reader implements TokenizerCallbacks {
  readonly shown: string[] = [];
  readonly aside: string[] = [];
  readonly onopentagname = this.part.bind(this);
  readonly onclosetag = this.part.bind(this);
  readonly onattribname = this.hide.bind(this);
  readonly oncomment = this.hide.bind(this);
  readonly oncdata = this.hide.bind(this);
  readonly ondeclaration = this.hide.bind(this);
  readonly onprocessinginstruction = this.hide.bind(this);
  readonly onselfclosingtag = this.onopentagend.bind(this);
  /** The end of the last token. */
  private seen = 0;

  constructor(private readonly html: string) {}

  ontext(start: number, end: number): void {
    this.shown.push(this.taken(start, end));
  }

  ontextentity(codePoint: number, end: number): void {
    this.shown.push(String.fromCodePoint(codePoint));
    this.seen = end;
  }

  onattribdata(start: number, end: number): void {
    this.aside.push(this.html.slice(start, end));
    this.seen = end;
  }

  onattribentity(codePoint: number): void {
    this.aside.push(String.fromCodePoint(codePoint));
  }

  onattribend(_quote: QuoteType, end: number): void {
    this.aside.push('\n');
    this.seen = end;
  }

  onopentagend(): void {
    this.aside.push('\n');
  }

  /** An unfinished tag at the end of the source is no token. */
  onend(): void {
    this.aside.push(this.html.slice(this.seen));
  }

  private part(start: number, end: number): void {
    const name = this.taken(start, end);
    if (parting.has(name.toLowerCase())) this.shown.push('\n');
    // In a plain text, `<4111…>` is a word and no element.
    this.aside.push(name, '\n');
  }

  private hide(start: number, end: number): void {
    this.aside.push(this.taken(start, end), '\n');
  }

  /** Text between two tokens leaves too: attributes of a closing tag are none to the tokenizer. */
  private taken(start: number, end: number): string {
    if (start > this.seen) this.aside.push(this.html.slice(this.seen, start), '\n');
    // For a closing tag that does not end, the tokenizer reports a start of -1.
    const rest = this.html.slice(Math.max(start, this.seen), end);
    this.seen = end;
    return rest;
  }
}
