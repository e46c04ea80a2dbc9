import { hash, randomBytes } from 'node:crypto';
import type { KeyKind } from '@postroom/contracts';
import { checksumOf, randomLength, toBase62 } from './api-key.js';

/** A key as it is shown once, and what is kept of it. */
export interface NewApiKey {
  /** The whole key. Given to its owner, never stored. */
  readonly token: string;
  /** SHA-256 of the secret part, 64 hex digits: what is stored. */
  readonly secretHash: string;
  /** The last four characters, for recognising a key in a list. Part of the checksum. */
  readonly hint: string;
}

const idShape = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * Makes a key.
 *
 * @param id the ULID of the key's row, without its typed prefix
 * @throws Error when `id` is no ULID (a mistake of ours)
 */
export function newApiKey(kind: KeyKind, id: string): NewApiKey {
  if (!idShape.test(id)) throw new Error('The id inside an API key is a ULID without prefix.');
  const random = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength);
  const body = `pr_${kind}_${id}_${random}`;
  const checksum = checksumOf(body);
  return {
    token: body + checksum,
    secretHash: hash('sha256', random + checksum),
    hint: checksum.slice(-4),
  };
}
