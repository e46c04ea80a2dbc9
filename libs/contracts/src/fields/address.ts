import { domainToASCII, domainToUnicode } from 'node:url';
import { codePoints, hasControls, isCleanText } from './values.js';

/** One address with its display name included, in code points (public-api.md §8). */
export const addressLengthMax = 640;

/** Addresses of one field, and of all fields of a message together (public-api.md §8). */
export const recipientsMax = 500;

/** A recipient of a message. */
export class Recipient {
  constructor(
    /** In its canonical form: the domain as people read it, in lower case. */
    readonly email: string,
    /** Display name, if one was given. */
    readonly name: string | null,
  ) {}
}

/**
 * The recipients of a comma-separated text (RFC 5322 §3.4 `mailbox-list`, with RFC 6532's letters), in
 * order; of more than 500, the first 501. Names may be quoted; comments say nothing. Everything else is
 * refused, not guessed at: an empty place between commas, a group, an address without a domain, two
 * addresses in one place, a control. It reads no further than what refuses it.
 *
 * @returns undefined when any of them is unusable
 */
export function recipientsOf(text: string): readonly Recipient[] | undefined {
  if (!isCleanText(text)) return undefined;
  const recipients: Recipient[] = [];
  let place: Token[] = [];
  for (const token of tokensIn(text)) {
    if (!token || place.length > addressLengthMax) return undefined;
    if (!isSpecial(token, ',')) {
      place.push(token);
      continue;
    }
    const recipient = recipientIn(text, place);
    if (!recipient) return undefined;
    if (recipients.push(recipient) > recipientsMax) return recipients;
    place = [];
  }
  const last = recipientIn(text, place);
  return last && [...recipients, last];
}

/** The recipient between two commas. */
function recipientIn(text: string, place: readonly Token[]): Recipient | undefined {
  const length = codePoints(text.slice(place[0]?.start, place.at(-1)?.end));
  return length > addressLengthMax ? undefined : recipientOf(place);
}

/** A recipient given in two parts; undefined when either is unusable or both are too long. */
export function recipientNamed(email: string, name: string): Recipient | undefined {
  if (!isName(name) || codePoints(email) + codePoints(name) > addressLengthMax) return undefined;
  const at = email.lastIndexOf('@');
  return at < 0 ? undefined : recipientAt(email.slice(0, at), email.slice(at + 1), name);
}

/** `name <address>`, or the address alone. */
function recipientOf(tokens: readonly Token[]): Recipient | undefined {
  const open = tokens.findIndex((token) => isSpecial(token, '<'));
  if (open < 0) return named(tokens, '');
  const close = tokens.at(-1);
  const words = tokens.slice(0, open);
  if (!close || !isSpecial(close, '>') || words.some(({ kind }) => kind === 'special')) {
    return undefined;
  }
  const name = words.map(({ text }) => text).join(' ');
  return named(tokens.slice(open + 1, -1), name);
}

/** The three tokens of an address, nothing between them. */
function named(tokens: readonly Token[], name: string): Recipient | undefined {
  const [local, at, domain] = tokens;
  if (!local || !at || !domain || tokens.length > 3) return undefined;
  const isAddress = local.kind !== 'special' && isSpecial(at, '@') && domain.kind === 'word';
  return isAddress && domain.start - local.end === 1
    ? recipientAt(local.text, domain.text, name)
    : undefined;
}

function recipientAt(local: string, domain: string, name: string): Recipient | undefined {
  const email = canonicalAddress(local, domain);
  return email === undefined ? undefined : new Recipient(email, name.trim() || null);
}

const isSpecial = (token: Token, text: string): boolean =>
  token.kind === 'special' && token.text === text;

const isName = (text: string): boolean => isCleanText(text) && !hasControls(text);

/** RFC 5321 §4.5.3.1, in octets. */
const localMax = 64;
export const addressMax = 254;

// RFC 5322 §3.2.3 with RFC 6532 §3.2; of what is not ASCII, neither white space nor what shows nothing.
const atext = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]|[^\u0000-\u007f\p{C}\p{Z}]`;
const dotAtom = new RegExp(String.raw`^(?:${atext})+(?:\.(?:${atext})+)*$`, 'u');
/** Dots wherever they stand: Japanese telephone companies gave such addresses to their customers. */
const localPart = new RegExp(String.raw`^(?:\.|${atext})+$`, 'u');

/** With the underscore, which hosts have in spite of RFC 952. */
const hostLabel = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostName = new RegExp(String.raw`^(?:${hostLabel}\.)*(?!\d+$)${hostLabel}$`);

/** The domain as people read it (IDNA U-labels, lower case); undefined for what names no host. */
function readableDomain(domain: string): string | undefined {
  const ascii = domain.length > addressMax ? '' : domainToASCII(domain);
  if (!hostName.test(ascii)) return undefined;
  const readable = domainToUnicode(ascii);
  // A label that could not be read is left as it was.
  if (/(?:^|\.)xn--/.test(readable)) return undefined;
  // IDNA maps more than letter case and width; what it would leave out or change was not meant.
  const given = domain.normalize('NFKC').toLowerCase();
  return given === readable || given === ascii ? readable : undefined;
}

/**
 * One address to write to, `local@domain`, in its canonical form; undefined for anything else, a local
 * part that needs its quotes for more than dots or a literal instead of a domain among it. The local part
 * is the receiving host's and stays as given (RFC 5321 §2.4), letters beyond ASCII too: they need SMTPUTF8
 * (RFC 6531). The domain is kept as people read it, in lower case.
 */
export function canonicalAddress(given: string, domain: string): string | undefined {
  const local = /^"([^"\\]*)"$/.exec(given)?.[1] ?? given;
  if (Buffer.byteLength(local) > localMax || !localPart.test(local)) return undefined;
  const readable = readableDomain(domain);
  if (readable === undefined) return undefined;
  const email = `${local}@${readable}`;
  return Buffer.byteLength(wireAddress(email)) <= addressMax ? email : undefined;
}

/**
 * A canonical address as SMTP carries it: its domain in A-labels (RFC 5891), its local part in quotes
 * where the dots in it need them (RFC 5321 §4.1.2).
 */
export function wireAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  return `${dotAtom.test(local) ? local : `"${local}"`}@${domainToASCII(email.slice(at + 1))}`;
}

/** Tokens of the lists of RFC 5322 §3.4; comments and the white space between are left out. */
interface Token {
  readonly kind: 'word' | 'quoted' | 'special';
  /** The text; that of a quoted token without its quotes and backslashes. */
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
function* tokensIn(text: string): Generator<Token | null> {
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

/** The end of a comment, those inside it too; undefined when it does not end. */
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
