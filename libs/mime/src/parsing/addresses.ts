import { randomUUID } from 'node:crypto';
import { addressParser } from 'postal-mime';
import { headerValue, type HeaderFields } from './header-fields.js';
import { limits } from './limits.js';
import type { Address } from './parsed-message.js';
import { storableLine, storableText } from './storable-text.js';

/** RFC 5322 §4.4 allows blanks around the dots of a domain; the parser would end it there. */
const blanksInDomain = /(@[\w-]+(?:\.[\w-]+)*)\s+\.\s*(?=[\w-])/g;
const comment = /\([^()]*\)/g;
const obsoleteRoute = /^(?:@[^@:,]+,?)+:/;
/** A name and an address with room to spare: the fallback reads it outside of a thread. */
const authorUnitsMax = 4096;
const atoms = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** A mark that no sender can guess. */
const mark = randomUUID();
const marked = new RegExp(`${mark}-(\\d+)`);

/** The mailboxes of all headers of a name; groups are expanded, and texts that are no address left out. */
export function addressesOf(headers: HeaderFields, key: string): Address[] {
  const addresses: Address[] = [];
  for (const field of headers) {
    if (field.key !== key || addresses.length >= limits.addressesMax) continue;
    const localParts: string[] = [];
    const value = withoutQuotedLocalParts(field.value.replace(blanksInDomain, '$1.'), localParts);
    for (const { address, name } of addressParser(value, { flatten: true })) {
      const email = emailOf(address ?? '', localParts);
      if (email === null || addresses.length >= limits.addressesMax) continue;
      addresses.push({ email, name: storableLine(name, limits.nameCharactersMax) || null });
    }
  }
  return addresses;
}

/** The author: the first mailbox of the first From header, as mail programs show it. */
export function authorOf(headers: HeaderFields): Address | null {
  const value = headerValue(headers, 'from').slice(0, authorUnitsMax);
  return addressesOf([{ key: 'from', value }], 'from')[0] ?? null;
}

/**
 * Replaces quoted local parts (RFC 5321 §4.1.2) by marks: the parser removes the quotes, which would turn an
 * address that needs them into another one.
 */
const withoutQuotedLocalParts = (value: string, localParts: string[]): string =>
  replaceQuotedStrings(value, ({ start, end, content }) => {
    if (value[end] !== '@') return value.slice(start, end);
    if (atoms.test(content)) return content;
    return `${mark}-${localParts.push(`"${content.replace(/\p{Cc}/gu, '')}"`) - 1}`;
  });

function emailOf(address: string, localParts: readonly string[]): string | null {
  if (address.length > limits.emailCharactersMax * 2) return null;
  const email = storableText(address, address.length)
    .replace(comment, '')
    .replace(/[\s\p{Cc}]+/gu, '')
    .replace(obsoleteRoute, '')
    .replace(marked, (_, index: string) => localParts[Number(index)] ?? '');
  const isAddress = /^[^;,<>()]+$/.test(replaceQuotedStrings(email, () => 'quoted'));
  return isAddress && Array.from(email).length <= limits.emailCharactersMax ? email : null;
}

/** A quoted string (RFC 5322 §3.2.4) of a text. */
interface QuotedString {
  /** The position of its first quote, in UTF-16 units. */
  readonly start: number;
  /** The position after its last quote. */
  readonly end: number;
  /** The text between its quotes, backslashes included. */
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
