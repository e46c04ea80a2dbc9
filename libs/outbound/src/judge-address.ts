import ipaddr from 'ipaddr.js';

/** Addresses and networks (CIDR), as ipaddr.js matches them. */
export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** What an address is to whoever dials at a customer's word. */
export type Verdict = 'public' | 'allowed' | 'forbidden';

/** @throws Error for a text that is no network */
export const parseNetworks = (texts: readonly string[]): Networks =>
  texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });

/** The servers of clouds that hand out credentials, as far as their addresses are public ones. */
const metadata = new Set(['168.63.129.16']);

/** RFC 6052 §2.1: on networks with IPv6 alone, every IPv4 address is reached under this prefix. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** RFC 4291 §2.4: all that is global unicast today. IPv4-compatible addresses are outside of it. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const lastFour = (address: ipaddr.IPv6): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(-4));

/** The IPv4 address that an IPv6 address stands for; itself where it stands for none. */
function meant(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
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
  const address = meant(ipaddr.parse(text));
  if (isIn(address, allowed)) return 'allowed';
  return isPublic(address) ? 'public' : 'forbidden';
}
