import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aead.js';
import type { CallerKey } from './signature.js';

/**
 * Seals what passes between the gateway and one service, so that who can read the broker's disks
 * reads no password, key or session in it. The key is derived from the one that signs callers
 * (HKDF-SHA-256, RFC 5869), which both of them have.
 */
export class CallSeal {
  private readonly key: Uint8Array;

  constructor(key: CallerKey) {
    this.key = new Uint8Array(hkdfSync('sha256', key, '', 'postroom/calls', 32));
  }

  /** @param context which message it is; it opens as no other */
  seal(bytes: Uint8Array, context: string): Buffer {
    return encrypt(this.key, bytes, context);
  }

  /** Null for what was not sealed with this key for this context. */
  open(sealed: Buffer, context: string): Buffer | null {
    try {
      return decrypt(this.key, sealed, context);
    } catch {
      return null;
    }
  }
}
