import { isIP } from 'node:net';

/** A host as it is dialled: an address, or a name in its one spelling. */
export interface Host {
  readonly kind: 'address' | 'name' | 'loopback';
  readonly text: string;
}

/** RFC 6761, 6762, 8375, and what networks call themselves inside: names of nothing public. */
const insideSuffixes = new Set([
  ...['local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'localdomain'],
  ...['onion', 'invalid', 'arpa'],
]);

/**
 * Reads a host in any of its spellings: addresses in decimal, hexadecimal, octal or short form,
 * full-width characters, a dot at the end, an IPv6 address with or without brackets.
 * @returns null for what names no host
 */
export function readHost(given: string): Host | null {
  const bare = given.replace(/^\[(.*)\]$/s, '$1');
  if (isIP(bare) === 6) return { kind: 'address', text: bare };
  if (/[^\p{L}\p{M}\p{N}._\-\uFF0E\u3002\uFF61]/u.test(given)) return null;
  // The URL Standard's host parser knows every spelling that a system's resolver would take.
  const hostname = URL.parse(`http://${given}/`)?.hostname.replace(/\.$/, '') ?? '';
  if (hostname.length > 253 || hostname.split('.').includes('')) return null;
  if (isIP(hostname) === 4) return { kind: 'address', text: hostname };
  const isLoopback = hostname === 'localhost' || hostname.endsWith('.localhost');
  return { kind: isLoopback ? 'loopback' : 'name', text: hostname };
}

/** Whether a name can be one of the public name system: it has a dot, and no reserved ending. */
export function isPublicName(name: string): boolean {
  const labels = name.split('.');
  return labels.length > 1 && !insideSuffixes.has(labels.at(-1) ?? '');
}
