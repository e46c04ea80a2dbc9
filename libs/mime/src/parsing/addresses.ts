import { randomUUID } from 'node:crypto';
import { addressParser } from 'postal-mime';
import { decodeWords, replaceEncodedWords } from './encoded-words.js';
import { headerValue, type HeaderFields } from './header-fields.js';
import { limits } from './limits.js';
import type { Address, Author } from './parsed-message.js';
import { storableLine, storableText } from './storable-text.js';

/** RFC 5322 §4.4 allows blanks around the dots of a domain; the parser would end it there. */
const blanksInDomain = /(@[\w-]+(?:\.[\w-]+)*)\s+\.\s*(?=[\w-])/g;
const comment = /\([^()]*\)/g;
const obsoleteRoute = /^(?:@[^@:,]+,?)+:/;
/** A name and an address with room to spare: the fallback reads it outside of a thread. */
const authorUnitsMax = 4096;
/** Local parts that are shown without quotes: dots anywhere, as Japanese telephones write them. */
const atoms = /^[\w!#$%&'*+./=?^`{|}~-]+$/;
/** Marks that no sender can guess: of quoted local parts, and of texts of names. */
const localMark = randomUUID();
const nameMark = randomUUID();

/** Texts that the parser is not to see, and the marks that stand for them. */
class Kept {
  private readonly texts: string[] = [];
  private readonly marks: RegExp;

  constructor(private readonly mark: string) {
    this.marks = new RegExp(`${mark}-(\\d+)\\.`, 'g');
  }

  readonly keep = (text: string): string => `${this.mark}-${String(this.texts.push(text) - 1)}.`;

  readonly restored = (text: string): string =>
    text.replace(this.marks, (_, index: string) => this.texts[Number(index)] ?? '');
}

/**
 * The mailboxes of all headers of a name; groups are expanded, and texts that are no address left out. One more
 * than are kept shows that there are more.
 */
export function addressesOf(headers: HeaderFields, key: string): Address[] {
  const addresses: Address[] = [];
  for (const field of headers) {
    if (field.key !== key || addresses.length > limits.addressesMax) continue;
    for (const { email, name } of partiesIn(field.value)) {
      if (email !== null && addresses.length <= limits.addressesMax)
        addresses.push({ email, name });
    }
  }
  return addresses;
}

/** The lists of recipients, as many of each as are kept. */
export function recipientsOf(headers: HeaderFields) {
  let recipientsTruncated = false;
  const kept = (key: string): Address[] => {
    const addresses = addressesOf(headers, key);
    recipientsTruncated ||= addresses.length > limits.addressesMax;
    return addresses.slice(0, limits.addressesMax);
  };
  const lists = { to: kept('to'), cc: kept('cc'), bcc: kept('bcc'), replyTo: kept('reply-to') };
  return { ...lists, recipientsTruncated };
}

/**
 * The author: the first mailbox of the first From header, as mail programs show it. One without an address keeps
 * its name.
 */
export function authorOf(headers: HeaderFields): Author | null {
  const parties = partiesIn(headerValue(headers, 'from').slice(0, authorUnitsMax));
  return parties.find(({ email }) => email !== null) ?? parties.find(({ name }) => name) ?? null;
}

/** The entries of an address list. A name with a comma that is not quoted is one name. */
function partiesIn(field: string): Author[] {
  const parties: Author[] = [];
  let names: string[] = [];
  for (const { email, name, isAddress } of entriesIn(field)) {
    if (email === null) {
      // Without an address, it is the start of the next name.
      if (name !== '' && !isAddress) names.push(name);
      continue;
    }
    const whole = name === '' ? '' : [...names, name].join(', ');
    if (name !== '') names = [];
    parties.push({ email, name: storableLine(whole, limits.nameCharactersMax) || null });
  }
  return [...parties, ...names.map((name) => ({ email: null, name }))];
}

interface Entry {
  readonly email: string | null;
  readonly name: string;
  /** True for one that has the place of an address, whatever stands there. */
  readonly isAddress: boolean;
}

/** The entries as the parser finds them, once it does not see what it would mistake. */
function entriesIn(field: string): Entry[] {
  const locals = new Kept(localMark);
  const texts = new Kept(nameMark);
  const given = withoutQuotedLocalParts(field.replace(blanksInDomain, '$1.'), locals.keep);
  const value = replaceEncodedWords(withoutNestedComments(given, texts.keep), (run) =>
    texts.keep(decodeWords(run)),
  );
  const decoded = texts.restored(value);
  // Some senders encode the address with the name.
  const isAllEncoded =
    !/[@<]/.test(value) && /<[^<>@]+@[^<>]+>/.test(decoded.slice(0, authorUnitsMax));
  return addressParser(isAllEncoded ? decoded : value, { flatten: true }).map(
    ({ address = '', name }) => ({
      email: emailOf(address, locals),
      name: storableLine(locals.restored(texts.restored(name)), limits.nameCharactersMax),
      isAddress: address !== '',
    }),
  );
}

/**
 * Keeps quoted local parts (RFC 5321 §4.1.2) aside: the parser removes the quotes, which would turn an
 * address that needs them into another one.
 */
const withoutQuotedLocalParts = (value: string, keep: (text: string) => string): string =>
  replaceQuotedStrings(value, ({ start, end, content }) => {
    if (value[end] !== '@') return value.slice(start, end);
    return atoms.test(content) ? content : keep(`"${content.replace(/\p{Cc}/gu, '')}"`);
  });

/** Keeps comments that have comments in them (RFC 5322 §3.2.2) aside: the parser ends them at the first bracket. */
function withoutNestedComments(value: string, keep: (text: string) => string): string {
  if (!/\([^()]*\(/.test(value)) return value;
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  let start = 0;
  for (const { 0: found, index } of value.matchAll(/"(?:[^"\\]|\\[^])*"?|[()]/g)) {
    if (found === '(' && depth++ === 0) start = index;
    if (found !== ')' || depth === 0 || --depth > 0) continue;
    parts.push(value.slice(from, start), `(${keep(value.slice(start + 1, index))})`);
    from = index + 1;
  }
  return parts.join('') + value.slice(from);
}

function emailOf(address: string, locals: Kept): string | null {
  if (address.length > limits.emailCharactersMax * 2) return null;
  const bare = storableText(address, address.length)
    .replace(comment, '')
    .replace(/[\s\p{Cc}]+/gu, '')
    .replace(obsoleteRoute, '');
  // An encoded word is no address (RFC 2047 §5): what checks senders does not decode it either.
  if (bare.includes(nameMark)) return null;
  const email = locals.restored(bare);
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
