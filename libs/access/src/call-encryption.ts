import { hkdfSync, type KeyObject } from 'node:crypto';
import { decrypt, encrypt } from './aead.js';
import type { CallerKey } from './signature.js';

/**
 * Encrypts what passes between the gateway and one service, so that who can read the broker's disks
 * reads no password, key or session in it. The key is derived from the one that signs callers
 * (HKDF-SHA-256, RFC 5869), which both of them have.
 */
export class CallEncryption {
  private readonly key: Uint8Array;
  private readonly accepted: readonly Uint8Array[];

  constructor({ signing, accepted }: CallerKey) {
    this.key = derived(signing);
    this.accepted = accepted.map(derived);
  }

  /** @param context which message it is; it is decrypted as no other */
  encrypt(bytes: Uint8Array, context: string): Buffer {
    return encrypt(this.key, bytes, context);
  }

  /** Null for what was encrypted with no accepted key, or not for this context. */
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
