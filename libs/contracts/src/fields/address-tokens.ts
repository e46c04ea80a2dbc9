/** What the lists of RFC 5322 §3.4 are made of; comments and the white space between are left out. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'special';
  /** Of a quoted one: without its quotes and backslashes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const blanks = /[ \t]+/y;
/** A dot is no special here: RFC 5322 §4.1 lets it stand in names, and in addresses it must. */
const word = /[^\p{Cc} ()<>[\]:;@\\,"]+/uy;
const special = /[<>[\]:;@\\,]/y;
/** Bounded: a longer one is no part of an address, and costs the expression its memory. */
const quoted = /"(?:[^"\\\p{Cc}]|\\[^\p{Cc}]){0,1280}"/uy;
const commentPart = /[^()\\\p{Cc}]+|\\[^\p{Cc}]|\t/uy;

/** The tokens of a text; null, and no more, where a control stands, or a quote or comment does not end. */
export function* tokensIn(text: string): Generator<Token | null> {
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = endOf(blanks, text, at) ?? (text[at] === '(' ? endOfComment(text, at) : undefined) ?? at;
    if (at > start) continue;
    const token = tokenAt(text, at);
    yield token ?? null;
    if (!token) return;
    at = token.end;
  }
}

function tokenAt(text: string, start: number): Token | undefined {
  const quotedEnd = endOf(quoted, text, start);
  if (quotedEnd !== undefined) {
    const inner = text.slice(start + 1, quotedEnd - 1).replaceAll(/\\(.)/gsu, '$1');
    return { kind: 'quoted', text: inner, start, end: quotedEnd };
  }
  const wordEnd = endOf(word, text, start);
  const end = wordEnd ?? endOf(special, text, start);
  if (end === undefined) return undefined;
  const kind = wordEnd === undefined ? 'special' : 'word';
  return { kind, text: text.slice(start, end), start, end };
}

/** Where a comment ends, those inside it too; undefined when it does not. */
function endOfComment(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length;) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at + 1;
    const next = '()'.includes(text.charAt(at)) ? at + 1 : endOf(commentPart, text, at);
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
