import { domainToASCII } from 'node:url';

/**
 * The one spelling of an address under which mail is routed: lower case (a host may treat local
 * parts without case, RFC 5321 §2.4), the domain in its ASCII form (RFC 5891), so that no two
 * mailboxes share an address that is written in two ways.
 */
export function routingAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = normalised(address.slice(0, at)).toLowerCase();
  const domain = address.slice(at + 1).toLowerCase();
  return `${local}@${domainToASCII(domain) || domain}`;
}

/** Twice what RFC 5321 §4.5.3.1.1 allows: the time of a normalisation grows with the square of its length. */
const localUnitsMax = 128;

/** No mailbox has a longer one. */
const normalised = (local: string): string =>
  local.length > localUnitsMax ? local : local.normalize('NFC');

/** The address without its sub-address (RFC 5233): `support+shop@…` is `support@…`. */
export const withoutSubAddress = (address: string): string =>
  address.replace(/^([^+@]+)\+[^@]*@/, '$1@');
