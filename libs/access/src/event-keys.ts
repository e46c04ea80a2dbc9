import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { serviceNames, type ServiceName } from '@postroom/contracts';

/**
 * The keys of events on the bus: Ed25519 (RFC 8032), a private key a service, and the public keys of all
 * services with every reader, who can so check an event and forge none. A service has several public keys
 * while it changes its private one.
 */

interface PublicKey {
  readonly service: ServiceName;
  readonly key: KeyObject;
}

/** A new private key: PKCS #8, DER, in base64. */
export const newEventKey = (): string =>
  generateKeyPairSync('ed25519')
    .privateKey.export({ format: 'der', type: 'pkcs8' })
    .toString('base64');

/** The public key of a private one: SubjectPublicKeyInfo, DER, in base64. @throws Error */
export const publicEventKey = (privateKey: string): string => encoded(privateKeyOf(privateKey));

export class EventKeys {
  private readonly publicKeys: ReadonlyMap<string, PublicKey>;
  private readonly privateKey: KeyObject;
  private readonly keyId: string;

  /**
   * @param privateKey signs, in the name of `service`
   * @param publicKeys `<service>:<key>` each
   * @throws Error that names the faulty setting, never its text
   */
  constructor(service: ServiceName, privateKey: string, publicKeys: readonly string[]) {
    this.privateKey = privateKeyOf(privateKey);
    this.keyId = idOf(encoded(this.privateKey));
    this.publicKeys = new Map(publicKeys.map(publicKeyOf));
    if (this.publicKeys.get(this.keyId)?.service !== service) {
      throw new Error(`EVENT_PUBLIC_KEYS lacks the public key of the EVENT_KEY of ${service}.`);
    }
  }

  /** `<key id>.<signature>`, base64url. */
  sign(content: string): string {
    const signature = sign(null, Buffer.from(content), this.privateKey);
    return `${this.keyId}.${signature.toString('base64url')}`;
  }

  /** The service whose key has signed the content; undefined when none has. */
  signerOf(content: string, signature: string): ServiceName | undefined {
    const [keyId = '', bytes = ''] = signature.split('.');
    const known = this.publicKeys.get(keyId);
    if (!known) return undefined;
    const isSigned = verify(null, Buffer.from(content), known.key, Buffer.from(bytes, 'base64url'));
    return isSigned ? known.service : undefined;
  }
}

function privateKeyOf(text: string): KeyObject {
  try {
    const key = createPrivateKey({
      key: Buffer.from(text, 'base64'),
      format: 'der',
      type: 'pkcs8',
    });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Not shown: the error may quote the key.
  }
  throw new Error('EVENT_KEY is no private key of Ed25519 (PKCS #8, DER, base64).');
}

function publicKeyOf(entry: string, position: number): [string, PublicKey] {
  const [name, text = ''] = entry.split(':');
  const service = serviceNames.find((known) => known === name);
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    if (service && key.asymmetricKeyType === 'ed25519')
      return [idOf(encoded(key)), { service, key }];
  } catch {
    // Said below, like a key of another kind.
  }
  const what = 'is not <service>:<public key of Ed25519, DER in base64>';
  throw new Error(`Entry ${position + 1} of EVENT_PUBLIC_KEYS ${what}.`);
}

const encoded = (key: KeyObject): string =>
  (key.type === 'private' ? createPublicKey(key) : key)
    .export({ format: 'der', type: 'spki' })
    .toString('base64');

/** Names a key among some tens: which one a signature is to be checked with. */
const idOf = (publicKey: string): string => hash('sha256', publicKey, 'base64url').slice(0, 12);
