import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A host as it is dialled: an address, or a name in its one spelling. */
export interface Host {
  readonly kind: 'address' | 'name' | 'loopback';
  readonly text: string;
}

/** Suffixes of private names: RFC 6761, 6762, 8375, and common names of internal networks. */
const insideSuffixes = new Set([
  ...['local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'localdomain'],
  ...['onion', 'invalid', 'arpa'],
]);

/**
 * Reads a host in any of its spellings: addresses in decimal, hexadecimal, octal or short form,
 * full-width characters, a dot at the end, an IPv6 address with or without brackets.
 * @returns null if the text names no host
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

/** A public DNS name has a dot, and no reserved ending. */
export function isPublicName(name: string): boolean {
  const labels = name.split('.');
  return labels.length > 1 && !insideSuffixes.has(labels.at(-1) ?? '');
}

/** Resolves a name to its addresses. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** The name could not be resolved. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';

  constructor(
    /** True if a name server answered that there is no such name. */
    readonly isUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(isUnknown ? 'there is no such name' : 'the name could not be resolved', options);
  }
}

const unknown = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Resolves by DNS alone, within 3 s. Not by `dns.lookup`: it takes a thread of the pool that files and
 * passwords need as well, and answers from the machine's own list of hosts.
 * @param servers name servers, `address` or `address:port`; the system's when none are given
 */
export function resolveByDns(servers: readonly string[] = []): ResolveName {
  const resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 1_500 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    const queries = [resolver.resolve4(name), resolver.resolve6(name)] as const;
    const answers = await Promise.allSettled(queries);
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    );
    if (found.length > 0) return found;
    const failures = answers.flatMap((one): unknown[] =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    const isUnknown = failures.every((failure) => unknown.has(String(codeOf(failure))));
    throw new NameUnresolved(isUnknown, { cause: failures[0] });
  };
}

/** Addresses and networks (CIDR), as ipaddr.js matches them. */
export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** The judgement of an address that a customer named. */
export type Verdict = 'public' | 'allowed' | 'forbidden';

/** @throws Error for a text that is no network */
export const parseNetworks = (texts: readonly string[]): Networks =>
  texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });

/** Metadata servers of clouds, which hand out credentials, with public addresses. */
const metadata = new Set(['168.63.129.16']);

/** RFC 6052 §2.1: on networks with IPv6 alone, every IPv4 address is reached under this prefix. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** RFC 4291 §2.4: today's global unicast addresses. IPv4-compatible addresses are outside of it. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const lastFour = (address: ipaddr.IPv6): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(-4));

/** The IPv4 address inside an IPv6 address, or the address itself. */
function withoutMapping(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  return address.isIPv4MappedAddress() || address.match(nat64) ? lastFour(address) : address;
}

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv4
    ? !metadata.has(address.toString())
    : address.match(globalUnicast));

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: Networks): boolean =>
  networks.some(
    ([network, bits]) => network.kind() === address.kind() && matches(address, network, bits),
  );

const matches = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  network: ipaddr.IPv4 | ipaddr.IPv6,
  bits: number,
): boolean =>
  address instanceof ipaddr.IPv4 ? address.match(network, bits) : address.match(network, bits);

/**
 * Judges an address as it is dialled, in its usual notation. Mapped (RFC 4291 §2.5.5.2) and NAT64
 * addresses are judged by the IPv4 address inside.
 */
export function judgeAddress(text: string, allowed: Networks): Verdict {
  // An interface (RFC 4007 §11) has a name on this machine alone, so nothing public needs one.
  if (!ipaddr.isValid(text) || text.includes('%')) return 'forbidden';
  const address = withoutMapping(ipaddr.parse(text));
  if (isIn(address, allowed)) return 'allowed';
  return isPublic(address) ? 'public' : 'forbidden';
}
