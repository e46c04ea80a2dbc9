import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Random nonces of 96 bits are safe for 2^32 messages a key (NIST SP 800-38D §8.3). */
export const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random nonce (NIST SP 800-38D).
 *
 * @param key 32 bytes
 * @param context what it is of; authenticated, so that it can be decrypted nowhere else
 * @returns nonce, ciphertext and tag, one behind the other
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link encrypt} made for the same context.
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
