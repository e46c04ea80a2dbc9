import { codePoints, isCleanText } from './values.js';
import { canonicalAddress } from './address.js';
import { tokensIn, type Token } from './address-tokens.js';
import { hasControls } from './visible.js';

/** One address with its display name included, in code points (public-api.md §8). */
export const addressLengthMax = 640;

/** Addresses of one field, and of all fields of a message together (public-api.md §8). */
export const recipientsMax = 500;

/** Somebody to write to. */
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

/** What stands between two commas. */
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
  const isAddress = local.kind === 'word' && isSpecial(at, '@') && domain.kind === 'word';
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
