import { isIPv6 } from 'node:net';
import type { Owners } from './budget.js';

/**
 * The part of a client's address that rate limits count: a whole IPv4 address, or the first 64 bits of
 * an IPv6 address, the smallest network that a client is assigned (RFC 6177).
 */
export function clientNetwork(address: string): string {
  const [plain = ''] = withoutPort(address).split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(plain) ? groupsOf(plain).slice(0, 4).join(':') : plain;
}

/** The kinds of owner before a caller is known. */
export type NetworkKind = 'site' | 'network';

/** The site of a network, all of which one customer of a provider may have: /24 of IPv4, /48 of IPv6. */
export const clientSite = (network: string): string =>
  network.includes(':') ? network.split(':', 3).join(':') : network.split('.', 3).join('.');

/** The owners that a client's address stands for. */
export function networkOwners(address: string): Owners<NetworkKind> {
  const network = clientNetwork(address);
  return { site: clientSite(network), network };
}

/** Some proxies append the port: `192.0.2.1:50123`, `[2001:db8::1]:443`. */
const withoutPort = (address: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ??
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ??
  address;

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const groups = (part: string): string[] =>
    part === '' ? [] : part.split(':').map((group) => group.replace(/^0+(?=.)/, ''));
  if (tail === undefined) return groups(head);
  const [first, last] = [groups(head), groups(tail)];
  // A dotted IPv4 suffix replaces two groups.
  const width = first.length + last.length + (last.at(-1)?.includes('.') ? 1 : 0);
  return [...first, ...Array<string>(8 - width).fill('0'), ...last];
}
