import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from '@postroom/contracts';

/**
 * API keys: `pr_<kind>_<id>_<secret>`, for example
 * `pr_human_01J8ZQ4YV6X7W8N5T3R2Q1P0MK_` followed by 49 base62 characters.
 *
 * - `id` is a ULID (26 Crockford characters): it finds the row and is no secret.
 * - `secret` is 256 random bits in 43 base62 characters, then a checksum of 6: the CRC-32 of the
 *   whole text before it, in base62, zero-padded (the construction of GitHub's tokens). It lets a
 *   secret scanner drop false finds without asking us. It proves nothing: a text with a right
 *   checksum still has to match the stored hash, and one with a wrong checksum is still compared.
 */

/** A presented key taken apart. */
export interface ParsedApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly secret: string;
  /** True if form and checksum are right; false forbids acceptance, but the same work is still done. */
  readonly wellFormed: boolean;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 26;
export const randomLength = 43;
const checksumLength = 6;
const secretLength = randomLength + checksumLength;
const shape = /^pr_(?:human|agent)_[0-7][0-9A-HJKMNP-TV-Z]{25}_[0-9A-Za-z]{49}$/;

export function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = base62.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

export const checksumOf = (body: string): string => toBase62(BigInt(crc32(body)), checksumLength);

/** ULID zero is the year 1970: no key has it, so the look-up runs and finds nothing. */
const standIn = `pr_human_${'0'.repeat(idLength)}_${'0'.repeat(secretLength)}`;
const noHash = '0'.repeat(64);

/**
 * Takes a presented key apart, without ever giving up early: what is missing or malformed comes back
 * as stand-in parts that no row has, so that the caller makes the same look-up and the same
 * comparison for every cause of a 401 (public API §5.11: same latency). Accept only when
 * `wellFormed`, the row is there and active with the same `kind`, and {@link verifySecret} agrees.
 */
export function parseApiKey(presented: string | null): ParsedApiKey {
  const wellShaped = presented !== null && shape.test(presented);
  const token = wellShaped ? presented : standIn;
  const secret = token.slice(-secretLength);
  const checksum = token.slice(-checksumLength);
  return {
    id: token.slice(-secretLength - 1 - idLength, -secretLength - 1),
    kind: token.startsWith('pr_agent_') ? 'agent' : 'human',
    secret,
    wellFormed: checksumOf(token.slice(0, -checksumLength)) === checksum && wellShaped,
  };
}

/**
 * Compares a presented secret with a stored hash in constant time. Without a row (`null`) the same
 * work is done and the answer is no. A plain SHA-256 is enough for 256 random bits: there is
 * nothing to guess that stretching would slow down.
 *
 * @param storedHash 64 hex digits, or null for an unknown key
 * @throws RangeError when `storedHash` is no SHA-256 (a damaged row)
 */
export function verifySecret(secret: string, storedHash: string | null): boolean {
  const presented = Buffer.from(hash('sha256', secret), 'hex');
  const stored = Buffer.from(storedHash ?? noHash, 'hex');
  return timingSafeEqual(presented, stored) && storedHash !== null;
}

/**
 * The part of a presented key that may be logged (public API §5.11): the first 12 hex digits of its SHA-256.
 * Not reversible, because a real key carries 256 random bits; enough to tell two keys apart.
 */
export const fingerprintPrefix = (token: string): string => hash('sha256', token).slice(0, 12);
