import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { CallerKey } from './caller-key.js';

/** Random nonces of 96 bits are safe for 2^32 messages a key (NIST SP 800-38D §8.3). */
export const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random nonce (NIST SP 800-38D).
 *
 * @param key 32 bytes
 * @param context names the place of the secret; authenticated, so that it can be decrypted nowhere else
 * @returns nonce, ciphertext and tag, concatenated
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a text of {@link encrypt} for the same context.
 *
 * @throws Error when it was altered, cut short, or made for another context or under another key
 */
export function decrypt(key: Uint8Array, encrypted: Buffer, context: string): Buffer {
  if (encrypted.length < nonceBytes + tagBytes)
    throw new Error('Too short for an encrypted message.');
  const nonce = encrypted.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(encrypted.subarray(-tagBytes));
  return Buffer.concat([
    decipher.update(encrypted.subarray(nonceBytes, -tagBytes)),
    decipher.final(),
  ]);
}

/**
 * Encrypts the calls between the gateway and one service, so that a person with access to the broker's disks
 * can read no password, key or session in them. The key is derived from the one that signs callers
 * (HKDF-SHA-256, RFC 5869), which both have.
 */
export class CallEncryption {
  private readonly key: Uint8Array;
  private readonly accepted: readonly Uint8Array[];

  constructor({ signing, accepted }: CallerKey) {
    this.key = derived(signing);
    this.accepted = accepted.map(derived);
  }

  /** @param context identifies the message; it cannot be decrypted as another one */
  encrypt(bytes: Uint8Array, context: string): Buffer {
    return encrypt(this.key, bytes, context);
  }

  /** Null if no accepted key decrypts it for this context. */
  decrypt(encrypted: Buffer, context: string): Buffer | null {
    for (const key of this.accepted) {
      try {
        return decrypt(key, encrypted, context);
      } catch {
        // It may be under another key.
      }
    }
    return null;
  }
}

const derived = (key: KeyObject): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, '', 'postroom/calls', 32));
