import { createPrivateKey } from 'node:crypto';

/** RFC 8301 §3.2: what is shorter is not to be signed with. */
const modulusBitsMin = 1024;

/** Whether a text is a private key, PEM, that messages can be signed with: RSA (RFC 6376 §3.3), without a passphrase. */
export function signsMail(privateKey: string): boolean {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails } = createPrivateKey(privateKey);
    return type === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= modulusBitsMin;
  } catch {
    return false;
  }
}
