import { randomUUID } from 'node:crypto';
import { addressParser } from 'postal-mime';
import { headerValue, type HeaderFields } from './header-lines.js';
import { limits } from './limits.js';
import { replaceQuotedStrings } from './quoted-strings.js';
import type { Address } from './parsed-message.js';
import { storableLine, storableText } from './storable-text.js';

/** RFC 5322 §4.4 lets blanks stand around the dots of a domain; the parser would end it there. */
const blanksInDomain = /(@[\w-]+(?:\.[\w-]+)*)\s+\.\s*(?=[\w-])/g;
const comment = /\([^()]*\)/g;
const obsoleteRoute = /^(?:@[^@:,]+,?)+:/;
/** A name and an address with room to spare: the fallback reads it outside of a thread. */
const authorUnitsMax = 4096;
const atoms = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** What no sender can guess. */
const mark = randomUUID();
const marked = new RegExp(`${mark}-(\\d+)`);

/** Mailboxes of every header of a name, groups opened, what is no address left out. */
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

/** Who wrote it: the first mailbox of the first From header, as mail programs show it. */
export function authorOf(headers: HeaderFields): Address | null {
  const value = headerValue(headers, 'from').slice(0, authorUnitsMax);
  return addressesOf([{ key: 'from', value }], 'from')[0] ?? null;
}

/**
 * Local parts in quotes (RFC 5321 §4.1.2) put apart: the parser takes the quotes off, which makes another's
 * address of one that needs them.
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
