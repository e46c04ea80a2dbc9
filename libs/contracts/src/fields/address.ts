import { domainToASCII, domainToUnicode } from 'node:url';
import { codePoints, isCleanText } from './values.js';

/** RFC 5321 §4.5.3.1, in octets. */
const localMax = 64;
export const addressMax = 254;

// RFC 5322 §3.2.3 with RFC 6532 §3.2; of what is not ASCII, neither white space nor what shows nothing.
const atom = String.raw`(?:[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]|[^\u0000-\u007f\p{C}\p{Z}])+`;
const dotAtom = new RegExp(String.raw`^${atom}(?:\.${atom})*$`, 'u');

const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
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
 * One address to write to, `local@domain`, in its canonical form; undefined for anything else, a quoted
 * local part or a literal instead of a domain among it. The local part is the receiving host's and stays
 * as given (RFC 5321 §2.4), letters beyond ASCII too: they need SMTPUTF8 (RFC 6531). The domain is kept
 * as people read it, in lower case.
 */
export function canonicalAddress(local: string, domain: string): string | undefined {
  if (Buffer.byteLength(local) > localMax || !dotAtom.test(local)) return undefined;
  const readable = readableDomain(domain);
  if (readable === undefined) return undefined;
  const email = `${local}@${readable}`;
  return Buffer.byteLength(wireAddress(email)) <= addressMax ? email : undefined;
}

/** A canonical address as SMTP carries it: its domain in A-labels (RFC 5891). */
export function wireAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at)}@${domainToASCII(email.slice(at + 1))}`;
}

// White space, controls and the separators of address lists. İ too: the one letter whose lower case
// is two code points, so that lower-casing never changes a length that was checked.
const notInAddress = String.raw`\s@<>()\[\]\\,;:"\u0000-\u001f\u007f-\u009f\u0130`;
const label = `[^.${notInAddress}]{1,63}`;
const emailPattern = new RegExp(`^[^${notInAddress}]{1,64}@${label}(\\.${label})*$`, 'u');
export const emailMax = 254;

/**
 * Whether a text is one plain mail address: no display name, no quoted local part. Letters beyond
 * ASCII are addresses too (RFC 6531).
 */
export const isEmail = (value: unknown): value is string =>
  isCleanText(value) && codePoints(value) <= emailMax && emailPattern.test(value);
