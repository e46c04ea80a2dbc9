/** A quoted string (RFC 5322 §3.2.4) of a text. */
export interface QuotedString {
  /** Where its first quote is, UTF-16. */
  readonly start: number;
  /** Behind its last quote. */
  readonly end: number;
  /** What stands between its quotes, backslashes included. */
  readonly content: string;
}

/**
 * The quoted strings of a text in their order, so that none begins with the end of another. An
 * expression would look for the end of each quote anew; this reads every character once, because a
 * text in which one quote is not closed has no quoted string behind it.
 */
export function* quotedStrings(text: string): Generator<QuotedString, undefined> {
  for (let start = text.indexOf('"'); start >= 0;) {
    const last = closingQuote(text, start + 1);
    if (last < 0) return;
    yield { start, end: last + 1, content: text.slice(start + 1, last) };
    start = text.indexOf('"', last + 1);
  }
}

/** The text with each of its quoted strings replaced. */
export function replaceQuotedStrings(
  text: string,
  replacement: (found: QuotedString) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const found of quotedStrings(text)) {
    parts.push(text.slice(from, found.start), replacement(found));
    from = found.end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

/** The next quote without a backslash before it; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') return at;
    if (character === '\\') at += 1;
  }
  return -1;
}
